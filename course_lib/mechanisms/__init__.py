"""The parts of a transformer, one mechanism a file; BERT and GPT are both built from these."""
