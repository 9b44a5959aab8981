"""Bundled data; README.md says where each file comes from."""
