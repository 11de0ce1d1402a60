import json

import pytest
import torch

from course_lib.config import BertConfig
from course_lib.data.labelled_texts import labelled_texts
from course_lib.experiments.topic_features import (
    FIRST,
    MEAN,
    bags,
    common_pieces,
    features,
    fit_layer,
    layer_right,
    recorded_topics,
    share_interval,
)
from course_lib.models.bert import Bert
from course_lib.tokenizers.bert_pair import EncodedPair


def texts(lengths):
    draw = torch.Generator().manual_seed(0)
    ids = [torch.randint(1, 9, (n,), generator=draw).tolist() for n in lengths]
    inputs = [EncodedPair(tuple(each), (0,) * len(each)) for each in ids]
    return labelled_texts(inputs, torch.arange(len(lengths)), pad_id=0), ids


def test_features_are_those_of_each_text_alone():
    made, ids = texts([5, 3, 7, 4])
    torch.manual_seed(0)
    encoder = Bert(BertConfig(9, 7, d_model=8, n_layers=2, n_heads=2, dropout=0.5))
    found = features(encoder.train(), made, batch_size=3)
    assert encoder.training  # as it was
    encoder.eval()
    for i, row in enumerate(ids):
        x = encoder(torch.tensor([row]))[0]
        torch.testing.assert_close(found[FIRST][i], x[0].detach())
        torch.testing.assert_close(found[MEAN][i], x.mean(0).detach())


def test_bags_hold_the_pieces_of_each_text_and_no_padding():
    made, ids = texts([5, 3])
    for row, each in zip(bags(made, torch.arange(9)), ids, strict=True):
        assert row.nonzero().flatten().tolist() == sorted(set(each))
    pieces = torch.tensor([7, 2, 0])
    for row, each in zip(bags(made, pieces), ids, strict=True):
        assert row.tolist() == [float(piece in each) for piece in pieces.tolist()]


def test_common_pieces_stand_in_several_texts():
    inputs = [EncodedPair(each, (0,) * len(each)) for each in ((1, 5, 5), (1, 3), (1, 3, 4))]
    made = labelled_texts(inputs, torch.arange(3), pad_id=0)
    assert common_pieces(made).tolist() == [1, 3]
    assert common_pieces(made, 1).tolist() == [1, 3, 4, 5]


def test_a_layer_finds_what_is_there_and_the_decay_is_chosen():
    draw = torch.Generator().manual_seed(0)
    centres = 3 * torch.randn(4, 6, generator=draw)

    def part(n):
        labels = torch.randint(4, (n,), generator=draw)
        return centres[labels] + torch.randn(n, 6, generator=draw), labels

    train, choice, test = part(80), part(50), part(200)
    right = layer_right(train, choice, test, 4)
    assert right.shape == (200,) and right.double().mean() > 0.9
    wrong = (test[0], (test[1] + 1) % 4)
    assert layer_right(train, choice, wrong, 4).double().mean() < 0.1
    assert fit_layer(*train, 4, 1.0).weight.norm() < fit_layer(*train, 4, 1e-4).weight.norm()


def test_the_interval_of_a_share_is_wilson_s():
    # Wilson's interval for 8 of 10, to three places, as published tables have it.
    assert share_interval(0.8, 10) == pytest.approx((0.490, 0.943), abs=5e-4)
    low, high = share_interval(0.0, 20)
    assert low == pytest.approx(0, abs=1e-12) and high == pytest.approx(0.161, abs=5e-4)
    with pytest.raises(ValueError, match=r"share must lie in \[0, 1\] and n be >= 1, got 1.5"):
        share_interval(1.5, 10)


def recorded(path, **changes):
    found = dict(
        names=["a", "b"], frozen={"[CLS]": 0.7, "mean of all positions": 0.8}, bag=0.6,
        commonest=0.5, only_frozen=30, only_bag=10, by_labels={"50": {"frozen": 0.7, "bag": 0.5}},
        full=[], full_how="", tried={}, n_train=50, n_choice=20, n_test=100, command="c", date="d",
        machine="m",
    )  # fmt: skip
    path.write_text(json.dumps({**found, **changes}), encoding="utf8")
    return recorded_topics(path)


def test_the_lead_is_measured_where_both_differ(tmp_path):
    results = recorded(tmp_path / "t.json")
    # By hand: +1 for 30 sentences, -1 for 10, 0 for 60; mean 0.2, variance 0.4 - 0.04.
    half = 1.959964 * (0.36 / 100) ** 0.5
    assert results.lead() == pytest.approx((0.2 - half, 0.2 + half))
    assert results.by_labels == {50: {"frozen": 0.7, "bag": 0.5}}
    even = recorded(tmp_path / "t.json", only_bag=30).lead()
    assert even[0] < 0 < even[1]


def test_another_file_is_refused(tmp_path):
    file = tmp_path / "t.json"
    file.write_text(json.dumps({"names": [], "full": []}), encoding="utf8")
    with pytest.raises(ValueError, match="t.json is no record of topics"):
        recorded_topics(file)
    with pytest.raises(ValueError, match="u.json is missing: bench --topics makes it"):
        recorded_topics(tmp_path / "u.json")
