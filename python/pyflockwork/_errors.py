"""Exceptions of the package."""


class MissingKey(KeyError):
    """A key, a metric or an id that is not there. Its text is a sentence, not a quoted key."""

    def __str__(self) -> str:
        return str(self.args[0])
