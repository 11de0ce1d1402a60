"""From text to ids and back: where a text is cut, byte-level BPE, WordPiece, vocabularies."""
