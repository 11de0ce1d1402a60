"""Whether a reader sits in front of the kernel, or a program runs the notebook."""

from IPython.core.interactiveshell import InteractiveShell


def somebody_watches() -> bool:
    """True in a cell that a reader ran, False under nbclient, nbconvert, nbval and plain Python.

    With each cell a front end says whether it can ask its user for input.  JupyterLab can, and
    the programs that run notebooks on their own say that they cannot.
    """
    if not InteractiveShell.initialized():
        return False
    kernel = getattr(InteractiveShell.instance(), "kernel", None)
    if not hasattr(kernel, "get_parent"):
        return False
    return bool(kernel.get_parent("shell").get("content", {}).get("allow_stdin"))
