"""What a lesson asserts and what a learner hands in.

``claim`` states a sentence, the numbers that were measured for it, and a broken variant that
must not pass.  An ``Exercise`` runs a learner's function, names the misconception behind a wrong
answer and gives hints one at a time.  The exercises of lesson NN, with their solutions, live in
``lesson_NN``.
"""
