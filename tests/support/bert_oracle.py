"""transformers' BERT tokenizers to compare with, and texts of every kind for hypothesis."""


from hypothesis import strategies as st
from optional_packages import loaded
from transformers import BertTokenizer
from transformers.models.bert.tokenization_bert_legacy import BertTokenizerLegacy

from course_lib.tokenizers.bert_published import published_vocabulary
from course_lib.tokenizers.vocabulary import SPECIAL_TOKENS

# Accents whole and in parts, Greek with its two small sigmas, right-to-left, Chinese with an old
# and a rare block, Korean, Thai, emoji with joiners and skin tones, symbols that are punctuation
# to BERT alone, controls, NUL, spaces of several kinds, marks newer than Unicode 8.
CURIOUS = (
    "aAzZéÉe\u0301İıßẞŒﬁǅΣσςΑάЙйעִבשׁلاَ日本語㐂\U00020000\U0002b820\U0002b920가각ไทย"
    "🙂👩\u200d🚀👍🏽❤\ufe0f$^~+¿—…·\0\x01\x7f\x85\xad\u200b\u202e\ufeff\ufffd\ue000"
    " \t\n\r\x0b\u00a0\u2028\u3000\u07fd\u1734\u166d\U000111c9\U00011938\u0378\U0001c900\U000e0041"
)
SAMPLE = (
    "The unhappiest of all happy people were running, walking and wanting: running! "
    "Éloïse's café naïvely déjà-vu straße ΟΔΥΣΣΕΥΣ σοφός Привет, мир. שָׁלוֹם עולם مرحبا "
    "日本語の文章 漢字 한국어 ภาษาไทย 🙂🙂 👍 ❤ 3.14 x^2+y^2=1 $5 #tag @home under_score "
) * 3

any_text = st.text(
    st.one_of(st.sampled_from(CURIOUS), st.sampled_from(SAMPLE), st.characters(codec="utf8")),
    max_size=25,
)
with_specials = st.lists(
    st.one_of(any_text, st.sampled_from([*SPECIAL_TOKENS, "[mask]", "[[SEP]", "##a"])), max_size=5
).map("".join)


def published():
    """The published vocabulary; a test without it is skipped, or fails where CI demands it."""
    return loaded(published_vocabulary)


def fast(vocabulary, lower_case=True):
    """The tokenizer that transformers 5 calls ``BertTokenizer``; it runs in Rust."""
    ids = {token: i for i, token in enumerate(vocabulary.tokens)}
    return BertTokenizer(vocab=ids, do_lower_case=lower_case, model_max_length=10**9)


def slow(vocabulary, folder, lower_case=True):
    """The older one, in Python."""
    vocabulary.save(folder / "vocab.txt")
    return BertTokenizerLegacy(
        str(folder / "vocab.txt"), do_lower_case=lower_case, model_max_length=10**9
    )
