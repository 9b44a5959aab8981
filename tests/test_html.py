import re
import shutil
import subprocess
from html import escape

import numpy as np
import pytest

from subword import reports
from subword.reports import html, svg
from subword.reports.classes import calibration, class_scores, confusion
from subword.reports.report import CurvePoint

BROWSER = shutil.which("chromium") or shutil.which("chromium-headless-shell")
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
EVIL = "<script>document.title='broken'</script> & \"low\" \x1b[31m"


def full_report(label="pos", text=EVIL):
    truth = [label, "neg", "neg"] * 20
    said = np.array([label, "neg", label] * 20)
    own = reports.Outcome(said, np.linspace(0.4, 1, 60), 1.0)
    other = reports.Outcome(np.array(["neg"] * 60), np.full(60, np.nan), 0.5)
    scores, differences = reports.measure(truth, {"subword": own, "words": other})
    marks = [reports.Mark(0, 8, 1.0), reports.Mark(9, 17, -0.3)]
    example = reports.Example(text, label, "neg", 0.9, marks)
    return reports.Report(
        app="sentiment", version="1", method="5 folds", scores=scores, differences=differences,
        data={"train": {"file": "a.tsv", "rows": 60, "labels": {label: 20, "neg": 40},
                        "repeated_texts": 1}},
        classes=class_scores(truth, own), confusion=confusion(truth, own),
        calibration=calibration(truth, own), pieces={label: [("so <low>", 2.0)]},
        curve=[CurvePoint(n, {s.name: s.accuracy for s in scores}) for n in (10, 20, 40)],
        probe=reports.Probe("Negation", ["2 of 3 <pairs>"], {"pairs": 3}),
        examples=[example], notes=["mind <this>"],
    )  # fmt: skip


def test_a_page_needs_nothing_else():
    page = reports.as_html(full_report())
    assert not re.findall(r"<script|<link|<img|src=|href=|url\(|@import|https?:", page)
    assert 'name="viewport"' in page
    assert "prefers-color-scheme: dark" in page
    assert "@media print" in page


def test_everything_is_escaped():
    page = reports.as_html(full_report(label="<b>&pos"))
    for raw in ("<script>", "<b>&pos", "so <low>", "mind <this>", "<pairs>", "\x1b"):
        assert raw not in page
    for shown in ("&lt;script&gt;", "&lt;b&gt;&amp;pos", "so &lt;low&gt;", "mind &lt;this&gt;"):
        assert shown in page


def test_examples_are_cut_and_marked():
    marks = [reports.Mark(0, 3, 1.0)]
    page = html._marked(reports.Example("low " * 1000, "a", "a", 1.0, marks))
    assert page.startswith('<mark class="for s2">low</mark>')
    assert page.endswith(" …")
    assert len(page) < 1400


def test_plots_stay_in_their_boxes():
    report = full_report()
    plots = [svg.intervals_plot(report.scores), svg.curve_plot(report.curve),
             svg.confusion_plot(report.confusion), svg.calibration_plot(report.calibration)]  # fmt: skip
    for plot in plots:
        _, _, width, height = map(float, re.search(r'viewBox="([^"]+)"', plot)[1].split())
        for axis, most in (("x", width), ("y", height)):
            places = re.findall(rf'\b{axis}[12]?="(-?[\d.]+)"', plot)
            assert all(0 <= float(place) <= most for place in places)
        assert "nan" not in plot


def test_many_classes_have_a_plot_without_names():
    labels = [f"label {i}" for i in range(60)]
    outcome = reports.Outcome(np.array(labels), np.ones(60), 0.0)
    plot = svg.confusion_plot(confusion(labels, outcome))
    assert plot.count("<rect") == 3600
    assert ">label 1<" not in plot


# -- in a real browser -----------------------------------------------------------------------


@pytest.fixture
def browse(tmp_path):
    """Return a function that opens a page and returns what the browser prints."""
    if BROWSER is None:
        pytest.skip("no chromium here")

    def run(page, *options):
        path = tmp_path / "page.html"
        path.write_text(page, encoding="utf-8")
        profile = f"--user-data-dir={tmp_path / 'profile'}"
        command = [BROWSER, *FLAGS, profile, *options, path.as_uri()]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.mark.slow
def test_a_browser_reads_the_page_as_it_was_meant(browse):
    dom = browse(reports.as_html(full_report()), "--dump-dom")
    assert "<title>Sentiment</title>" in dom
    assert dom.count("<section>") == 10
    assert dom.count("<svg") == 4
    assert '<mark class="for s2">&lt;script&gt;</mark>' in dom


@pytest.mark.slow
def test_a_page_fits_a_phone(browse):
    report = full_report("a label that is rather long for a phone", "low" * 300)
    tell = "<script>parent.postMessage(document.documentElement.scrollWidth, '*')</script></body>"
    page = reports.as_html(report).replace("</body>", tell)
    outer = (
        "<title></title><script>onmessage = e => document.title = `${e.data} wide`</script>"
        f'<iframe style="width:390px;height:800px;border:0" srcdoc="{escape(page)}"></iframe>'
    )
    assert "<title>390 wide</title>" in browse(outer, "--dump-dom", "--hide-scrollbars")


@pytest.mark.slow
def test_a_screenshot_by_night_is_dark(browse, tmp_path):
    matplotlib = pytest.importorskip("matplotlib.image")
    bright = []
    for options in ([], ["--blink-settings=preferredColorScheme=0"]):
        picture = tmp_path / "page.png"
        browse(
            reports.as_html(full_report()),
            f"--screenshot={picture}",
            "--window-size=600,900",
            *options,
        )
        pixels = matplotlib.imread(picture)[..., :3]
        assert pixels.std() > 0.02  # not an empty page
        bright.append(np.median(pixels))
    assert bright[0] > 0.9 > 0.3 > bright[1]
