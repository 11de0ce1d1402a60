"""The toy of the mismatch: its texts, its questions, and that it learns."""

import torch
from torch import nn

from course_lib.experiments.mismatch import HALF, MASK_ID, N_LETTERS, asked, said_twice, trained


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


def test_texts_say_their_letters_twice():
    texts = said_twice(5, generator())
    assert texts.shape == (5, 2 * HALF)
    assert torch.equal(texts[:, :HALF], texts[:, HALF:]) and texts.max() < N_LETTERS


class Copying(nn.Module):
    """Says with certainty what stands at each place."""

    def forward(self, token_ids):
        return 50.0 * torch.nn.functional.one_hot(token_ids, N_LETTERS + 1)[..., :N_LETTERS].float()


class Partner(nn.Module):
    """Says with certainty what stands at the other place."""

    def forward(self, token_ids):
        return Copying()(token_ids.roll(HALF, dims=1))


def test_questions_are_asked_as_they_are_described():
    copying, partner = asked(Copying(), generator()), asked(Partner(), generator())
    assert abs(copying.hidden - 1 / N_LETTERS) < 1e-6
    assert copying.in_place > 0.999 and copying.corrupted < 1e-6
    assert min(partner.hidden, partner.in_place, partner.corrupted) > 0.999
    assert MASK_ID == N_LETTERS


def test_a_run_is_repeatable_and_each_split_its_own():
    one, same, other = (trained(*split, 1, n_steps=3) for split in ((1, 0), (1, 0), (0.8, 0.1)))
    assert one == same != other


def test_it_learns_where_the_hidden_letter_stands():
    assert trained(1.0, 0.0, seed=0, n_steps=200).hidden > 0.8
