"""Tables of texts and labels: files of many kinds, plain or packed, and folders.

::

    table      `read_table`: columns, labels, what is odd about them
    rows       one function per kind of file
    folders    one text per file, one folder per label
"""

from .rows import is_file_name
from .table import Table, read_table

__all__ = ["Table", "is_file_name", "read_table"]
