"""Short everyday stories from a grammar, for which the best possible loss is known.

To be read in this order:

- ``words``: the words and the kinds of sentence.
- ``plot``: which sentence may come when, and what it changes in the ``world``.
- ``patterns``: how "X gave the OLD to Y" becomes words and slots; ``fillers`` fills the slots.
- ``grammar``: all of it together; ``tree`` shares what sentences have in common.
- ``sampling``: stories to train on.
- ``entropy``: the floor of a GPT's loss, exactly, and its share for each kind of token.
- ``reading``: what each word of a given story costs, and the first word that is impossible.
- ``beliefs``, ``masked``: the floor of masked language modelling.
- ``order``: the best accuracy of next-sentence prediction and of sentence order.
- ``acceptability``, ``claims``, ``questions``: labels that are right by construction.

What makes the floors computable: no rule of the plot looks at a word, and the text tells the
world at the end of every sentence.
"""
