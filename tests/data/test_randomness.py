import torch

from course_lib.data.randomness import generator_for, seed_for, seeded_dropout


def test_seeds_differ_by_seed_step_and_purpose():
    seeds = {
        seed_for(seed, step, purpose)
        for seed in range(5)
        for step in range(50)
        for purpose in ("windows", "dropout")
    }
    assert len(seeds) == 500
    assert all(0 <= seed < 2**63 for seed in seeds)
    assert seed_for(1, 11, "x") != seed_for(11, 1, "x")


def test_the_same_everywhere():
    # A constant: another machine must draw the same windows.
    assert seed_for(0, 1, "windows") == 4673594441342380003


def test_dropout_repeats_and_the_global_generator_comes_back():
    before = torch.get_rng_state()
    drawn = []
    for step in (1, 1, 2):
        with seeded_dropout(3, step, torch.device("cpu")):
            drawn.append(torch.rand(4))
    assert torch.equal(drawn[0], drawn[1])
    assert not torch.equal(drawn[0], drawn[2])
    assert torch.equal(torch.get_rng_state(), before)
    first, again = (torch.rand(3, generator=generator_for(1, 2, "a")) for _ in range(2))
    assert torch.equal(first, again)
