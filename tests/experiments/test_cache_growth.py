from course_lib.experiments.cache_growth import GIB, PUBLISHED, THIRTEEN_B, cache_growth
from course_lib.models.counting import kv_cache_bytes


def test_a_token_of_the_published_models():
    bytes_a_token = {name: kv_cache_bytes(config) for name, config in PUBLISHED.items()}
    assert bytes_a_token == {
        "GPT-2": 36_864, "GPT-3 175B": 4_718_592, "Llama 2 7B": 524_288,
        "Llama 2 13B": 819_200, "Llama 2 70B": 327_680,
    }  # fmt: skip


def test_the_model_of_the_figure():
    growth = cache_growth(2048, 8, 40, 2)
    assert 23.5 < growth.weights / GIB < 24.5  # 12.9 billion numbers of two bytes
    assert growth.cache == 8 * 2048 * 819_200 and growth.memory == 40 * GIB


def test_the_cache_goes_with_every_control():
    start = cache_growth(512, 2, 40, 2)
    assert cache_growth(1024, 2, 40, 2).cache == 2 * start.cache
    assert cache_growth(512, 4, 40, 2).cache == 2 * start.cache
    assert cache_growth(512, 2, 8, 2).cache * 5 == start.cache
    assert cache_growth(512, 2, 40, 1).cache * 2 == start.cache


def test_anew_takes_as_many_times_the_operations_as_there_are_tokens():
    growth = cache_growth(300, 1, 8, 2)
    assert growth.anew == 300 * growth.kept
    assert THIRTEEN_B.n_kv_heads == 40
