# %% [markdown]
# # 62 Train a BERT
#
# **After some minutes of training, how well does a small BERT fill gaps, and what has it not learnt?** At the end you can read a BERT's two losses beside what a perfect reader reaches, say which words it can name and which it cannot, and test whether it understands more than a bag of words. You need lessons 12, 22 and 41; about 60 minutes, of which one cell trains for two. [Contents](01_how_this_course_works.ipynb#Contents) · previous: [61 Train a GPT](61_train_gpt.ipynb)

# %% tags=["setup"]
try:
    from course_lib.lesson import begin, show_source
except ModuleNotFoundError as missing:
    raise ImportError(f"{missing}. Start this lesson with: python3 -m course_lib lab") from None

begin(62)

# %% tags=["widget"]
import torch

from course_lib.config import BertConfig
from course_lib.data.stories.sampling import tell
from course_lib.data.story_pairs import story_tokenizer
from course_lib.experiments.fill_mask import fill_mask
from course_lib.models.bert import BertPretraining
from course_lib.plots import fill_mask as fill_plot
from course_lib.widgets.controls import control
from course_lib.widgets.explore import explore

STORY = tell(40, seed=6262)[3].text
torch.manual_seed(0)
untrained = BertPretraining(BertConfig(len(story_tokenizer().vocabulary), 96, 96, n_layers=4, n_heads=4))
explore(lambda place: fill_mask(untrained, STORY, place), fill_plot.draw, fill_plot.say,
        size=(9, 3), place=control(1, 40, 1, 4, label="place of the hidden word"))

# %%
