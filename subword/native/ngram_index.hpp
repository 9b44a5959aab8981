// NgramIndex: n-grams of pieces, each known by one number, its node.
//
// A piece is its own node. A longer n-gram is the pair (node of all but its last piece, last piece): whatever its
// length it is one 64-bit key of a flat hash table, and all n-grams that begin alike share their prefixes.
//
// Finding the n-grams of a corpus goes length by length, over an array with the node of the n-gram that begins at
// each place. So nothing has to wait for the look-up before it: the slot of a place further on is prefetched while
// this one is dealt with. And an n-gram in few documents is left out before any longer one is built on it: one
// that contains it is in no more documents. Without that the rare long n-grams, nearly all there are, fill the memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "flat_array.hpp"
#include "hash.hpp"
#include "interrupt.hpp"
#include "memory.hpp"

namespace subword {

using Node = int32_t;
constexpr Node kNoNode = -1;

// The lengths of n-grams, both included.
struct Lengths {
    size_t shortest, longest;
};

// Documents as Encoder::encode_batch gives them: those of document i are ids[indptr[i]] ... ids[indptr[i + 1] - 1].
// Where documents are several streams of ids, each stream is such a document.
struct Documents {
    const int32_t* ids;
    const int64_t* indptr;
    size_t size;

    size_t begin(size_t document) const { return static_cast<size_t>(indptr[document] - indptr[0]); }
    size_t end(size_t document) const { return begin(document + 1); }
    size_t total() const { return begin(size); }
};

// How often an n-gram occurs, and in how many documents.
struct NgramCount {
    int64_t total = 0;
    int32_t documents = 0;
    int32_t last_document = -1;

    void note(int32_t document) {
        ++total;
        documents += document != last_document;
        last_document = document;
    }
};

using NgramCounts = std::vector<NgramCount, HugePageAllocator<NgramCount>>;

class NgramIndex {
    static constexpr size_t kAhead = 32;       // places from prefetching to use
    static constexpr size_t kAtOnce = 1024;    // documents before it is asked again whether to go on
    static constexpr size_t kSmallest = 1024;  // slots; a power of two
    static constexpr size_t kPerNgram = 8;     // places of a text for each different n-gram of two pieces, or fewer
    static constexpr size_t kMost = std::numeric_limits<int32_t>::max();
    static constexpr uint64_t kNoKey = static_cast<uint64_t>(-1);

 public:
    // What stands in the table for an n-gram; all of it -1 where it is not known.
    struct Slot {
        uint64_t key = kNoKey;
        Node node = kNoNode;
        int32_t column = -1;
    };

    // The last `openers` of the pieces open words: no n-gram reaches beyond the next one, and one alone is none.
    NgramIndex(size_t pieces, size_t openers)
        : piece_columns_(pieces, -1), first_opener_(static_cast<int32_t>(pieces - openers)), slots_(kSmallest) {
        if (pieces > kMost) throw std::overflow_error("more than 2^31 - 1 pieces");
    }

    size_t pieces() const { return piece_columns_.size(); }
    size_t size() const { return pieces() + keys_.size(); }

    int32_t piece_column(int32_t piece) const { return piece_columns_[static_cast<size_t>(piece)]; }

    // The n-gram one piece longer than `prefix`.
    const Slot& find(Node prefix, int32_t last) const { return slots_[slot_of(key_of(prefix, last))]; }

    Node find_or_add(Node prefix, int32_t last) {
        const uint64_t key = key_of(prefix, last);
        Slot& slot = slots_[slot_of(key)];
        return slot.node != kNoNode ? slot.node : add(key, slot);
    }

    void prefetch(Node prefix, int32_t last) const { prefetch_line(&slots_[home(key_of(prefix, last))]); }

    // Adds n-grams that are spelt one after another.
    Node add(const int32_t* gram, size_t length) {
        Node node = gram[0];
        for (size_t i = 1; i < length; ++i) node = find_or_add(node, gram[i]);
        return node;
    }

    // The n-gram that is spelt one piece after another, if it is known.
    Node look_up(const int32_t* gram, size_t length) const {
        Node node = gram[0];
        for (size_t i = 1; i < length && node != kNoNode; ++i) node = find(node, gram[i]).node;
        return node;
    }

    // Gives columns 0, 1, ... to n-grams; kNoNode takes one, too.
    void set_columns(const Node* nodes, size_t size) {
        for (size_t column = 0; column < size; ++column) {
            if (nodes[column] == kNoNode) continue;
            int32_t& place = is_piece(nodes[column]) ? piece_columns_[static_cast<size_t>(nodes[column])]
                                                     : slots_[slot_of(keys_[key_index(nodes[column])])].column;
            place = static_cast<int32_t>(column);
        }
    }

    size_t length(Node node) const {
        size_t length = 1;
        for (; !is_piece(node); node = prefix(node)) ++length;
        return length;
    }

    // Writes the pieces of an n-gram of that length; returns the end.
    int32_t* spell(Node node, size_t length, int32_t* out) const {
        int32_t* const end = out + length;
        int32_t* at = end;
        for (; !is_piece(node); node = prefix(node)) *--at = static_cast<int32_t>(keys_[key_index(node)]);
        *--at = node;
        return end;
    }

    // Adds the n-grams of documents, of which every ranges.size() are the streams of one, with as many pieces as the
    // stream allows. Of those in fewer than `min_documents` documents no longer ones are built. Nodes are numbered by
    // length, then by first appearance. What is only the beginning of wanted n-grams has the count 0. Where each n-gram
    // was found is kept until forget_places().
    void add_documents(const Documents& documents, const std::vector<Lengths>& ranges, int64_t min_documents,
                       NgramCounts& counts, Interrupt& interrupt) {
        if (documents.size > kMost) throw std::overflow_error("more than 2^31 - 1 documents");
        counts.resize(size());
        count(documents, documents.ids, counts, interrupt);
        const size_t longest = longest_of(ranges);
        if (longest > 1) expect(std::min(documents.total() / kPerNgram, pieces() * pieces()));
        std::vector<size_t> starts{0};
        FlatArray<Node> nodes;  // of the n-gram that begins at each place
        if (longest > 1) nodes.append(documents.ids, documents.total());
        for (size_t length = 2; length <= longest; ++length) {
            drop_finished(documents, ranges, length, nodes.data());
            if (min_documents > 1) drop_rare(nodes, counts, min_documents);
            if (std::all_of(nodes.begin(), nodes.end(), [](Node node) { return node == kNoNode; })) break;
            starts.push_back(size());
            in_parts(documents, interrupt, [&](const Documents& part, size_t first) {
                extend(part, length, nodes.data() + first, [this](const Node* prefix, int32_t last) {
                    return prefix[1] == kNoNode ? kNoNode : find_or_add(*prefix, last);
                });
            });
            counts.resize(size());
            count(documents, nodes.data(), counts, interrupt);
            places_.emplace_back().append(nodes.data(), nodes.size());
        }
        starts.push_back(size());
        drop_short(documents, ranges, starts, counts);
    }

    // How long the n-grams are whose places are kept, and the node that was found at each place for a length above 1.
    size_t longest_found() const { return places_.size() + 1; }
    const Node* found(size_t length) const { return places_[length - 2].data(); }
    void forget_places() { places_.clear(); }

    // Turns the nodes of n-grams with length - 1 pieces at each place into those with `length` pieces.
    // look(prefix, last) finds one, where prefix[1] still is the node of the n-gram that begins one place on.
    template <class Look>
    void extend(const Documents& documents, size_t length, Node* nodes, const Look& look) const {
        const size_t reach = length - 1, total = documents.total();
        for (size_t document = 0; document < documents.size; ++document) {
            const size_t begin = documents.begin(document), end = documents.end(document);
            const size_t stop = end - std::min(reach, end - begin);
            for (size_t i = begin; i < stop; ++i) {
                if (i + reach + kAhead < total) prefetch(nodes[i + kAhead], documents.ids[i + reach + kAhead]);
                const int32_t last = documents.ids[i + reach];
                if (nodes[i] != kNoNode) nodes[i] = last < first_opener_ ? look(nodes + i, last) : kNoNode;
            }
            std::fill(nodes + stop, nodes + end, kNoNode);
        }
    }

 private:
    static uint64_t key_of(Node prefix, int32_t last) {
        return static_cast<uint64_t>(static_cast<uint32_t>(prefix)) << 32 | static_cast<uint32_t>(last);
    }

    bool is_piece(Node node) const { return static_cast<size_t>(node) < pieces(); }
    size_t key_index(Node node) const { return static_cast<size_t>(node) - pieces(); }
    Node prefix(Node node) const { return static_cast<Node>(keys_[key_index(node)] >> 32); }

    size_t home(uint64_t key) const { return hash_key({key, 0}) >> 32 & (slots_.size() - 1); }

    // The slot that holds the key, or the empty one where it belongs.
    size_t slot_of(uint64_t key) const {
        size_t at = home(key);
        while (slots_[at].key != key && slots_[at].key != kNoKey) at = (at + 1) & (slots_.size() - 1);
        return at;
    }

    Node add(uint64_t key, Slot& slot) {
        if (size() >= kMost) throw std::overflow_error("more than 2^31 - 1 different n-grams: raise min_df");
        const Node node = static_cast<Node>(size());
        keys_.push_back(key);
        slot = {key, node, -1};
        if (keys_.size() * 4 > slots_.size() * 3) grow();
        return node;
    }

    // Makes room for about so many n-grams, before there are many.
    void expect(size_t size) {
        size_t slots = slots_.size();
        while (slots * 3 < size * 4) slots *= 2;
        if (slots > slots_.size()) resize(slots);
    }

    void grow() { resize(slots_.size() * 2); }

    void resize(size_t slots) {
        slots_.assign(slots, Slot{});
        for (size_t i = 0; i < keys_.size(); ++i) {
            if (i + kAhead < keys_.size()) prefetch_line(&slots_[home(keys_[i + kAhead])]);
            slots_[slot_of(keys_[i])] = {keys_[i], static_cast<Node>(pieces() + i), -1};
        }
    }

    static size_t longest_of(const std::vector<Lengths>& ranges) {
        size_t longest = 0;
        for (const Lengths& range : ranges) longest = std::max(longest, range.longest);
        return longest;
    }

    // Calls work(part, first place of it) for consecutive parts of the documents.
    template <class Work>
    static void in_parts(const Documents& documents, Interrupt& interrupt, const Work& work) {
        for (size_t document = 0; document < documents.size;) {
            interrupt.check();
            const size_t size = std::min(kAtOnce, documents.size - document), first = documents.begin(document);
            work(Documents{documents.ids + first, documents.indptr + document, size}, first);
            document += size;
        }
    }

    // A pass of its own, so that the counts can be prefetched: they are touched at random.
    static void count(const Documents& documents, const Node* nodes, NgramCounts& counts, Interrupt& interrupt) {
        const size_t total = documents.total();
        for (size_t document = 0; document < documents.size; ++document) {
            if (document % kAtOnce == 0) interrupt.check();
            for (size_t i = documents.begin(document); i < documents.end(document); ++i) {
                if (i + kAhead < total) prefetch_line(counts.data() + nodes[i + kAhead]);
                if (nodes[i] != kNoNode) counts[static_cast<size_t>(nodes[i])].note(static_cast<int32_t>(document));
            }
        }
    }

    static void drop_rare(FlatArray<Node>& nodes, const NgramCounts& counts, int64_t min_documents) {
        for (Node& node : nodes)
            if (node != kNoNode && counts[static_cast<size_t>(node)].documents < min_documents) node = kNoNode;
    }

    // Drops the nodes in streams where no n-gram may have `length` pieces.
    static void drop_finished(const Documents& documents, const std::vector<Lengths>& ranges, size_t length,
                              Node* nodes) {
        for (size_t row = 0; row < documents.size; ++row)
            if (ranges[row % ranges.size()].longest < length)
                std::fill(nodes + documents.begin(row), nodes + documents.end(row), kNoNode);
    }

    // Forgets the counts of openers, and of n-grams that are too short for their stream.
    void drop_short(const Documents& documents, const std::vector<Lengths>& ranges, const std::vector<size_t>& starts,
                    NgramCounts& counts) const {
        const std::vector<int32_t> streams = streams_of_nodes(documents, ranges.size());
        for (size_t length = 1; length < starts.size(); ++length) {
            for (size_t node = starts[length - 1]; node < starts[length]; ++node) {
                const size_t stream = streams.empty() ? 0 : static_cast<size_t>(streams[node]);
                if (length < ranges[stream].shortest) counts[node] = NgramCount{};
            }
        }
        std::fill(counts.begin() + first_opener_, counts.begin() + static_cast<int64_t>(pieces()), NgramCount{});
    }

    // Nothing where there is but one stream.
    std::vector<int32_t> streams_of_nodes(const Documents& documents, size_t size_of_group) const {
        if (size_of_group == 1) return {};
        std::vector<int32_t> streams(size());
        for (size_t row = 0; row < documents.size; ++row)
            for (size_t i = documents.begin(row); i < documents.end(row); ++i)
                streams[static_cast<size_t>(documents.ids[i])] = static_cast<int32_t>(row % size_of_group);
        for (size_t i = 0; i < keys_.size(); ++i) streams[pieces() + i] = streams[keys_[i] >> 32];
        return streams;
    }

    std::vector<int32_t> piece_columns_;
    int32_t first_opener_;
    std::vector<FlatArray<Node>> places_;               // for each length above 1
    FlatArray<uint64_t> keys_;                          // of node pieces() + i
    std::vector<Slot, HugePageAllocator<Slot>> slots_;  // open addressing, at most three quarters full
};

// The order of n-grams, spelt one after another, by the ranks of their pieces; what ends comes before what goes on.
// A stable counting sort by each place in turn, the last one first.
inline void order_ngrams(const int32_t* flat, const int64_t* starts, size_t size, size_t longest, const int32_t* ranks,
                         size_t pieces, int32_t* order) {
    constexpr size_t kAhead = 16;  // n-grams from prefetching to use
    std::vector<int32_t> keys(size), other(size);
    int32_t *from = order, *to = other.data();
    std::iota(from, from + size, 0);
    for (size_t place = longest; place-- > 0; std::swap(from, to)) {
        std::vector<uint32_t> next(pieces + 2);
        for (size_t i = 0; i < size; ++i) {
            const int64_t at = starts[i] + static_cast<int64_t>(place);
            keys[i] = at < starts[i + 1] ? ranks[flat[at]] + 1 : 0;
            ++next[static_cast<size_t>(keys[i]) + 1];
        }
        for (size_t key = 1; key < next.size(); ++key) next[key] += next[key - 1];
        for (size_t i = 0; i < size; ++i) {
            if (i + kAhead < size) prefetch_line(&keys[static_cast<size_t>(from[i + kAhead])]);
            to[next[static_cast<size_t>(keys[static_cast<size_t>(from[i])])]++] = from[i];
        }
    }
    if (from != order) std::copy(from, from + size, order);
}

}  // namespace subword
