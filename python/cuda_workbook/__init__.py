"""The CUDA workbook in a notebook: ``%load_ext cuda_workbook``.

The magics run the program ``checker``, which this package contains. See ``magics`` for the list.
"""

__all__ = ["load_ipython_extension"]


def load_ipython_extension(ipython):
    """Registers the magics. IPython calls this function for ``%load_ext cuda_workbook``."""
    from .magics import WorkbookMagics

    ipython.register_magics(WorkbookMagics(ipython))
