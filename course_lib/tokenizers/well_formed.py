"""Text that can be written as bytes and read again."""


def require_well_formed(text: str, name: str = "text") -> str:
    """Raise unless it is a str that UTF-8 can write; errors call it ``name``.

    A lone surrogate is half of a character: it stands for none, and UTF-8 has no bytes for it.
    """
    if not isinstance(text, str):
        raise TypeError(f"{name} must be a str, got {type(text).__name__}")
    try:
        text.encode("utf8")
    except UnicodeEncodeError as error:
        raise ValueError(
            f"{name} must hold no lone surrogate, got {text[error.start]!r} "
            f"at position {error.start}"
        ) from None
    return text
