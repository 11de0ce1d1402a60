"""The floor of the everyday stories, computed once; the tests compute it again."""

from course_lib.data.stories.entropy import Floor

EVERYDAY_FLOOR = Floor(
    nats={
        "closed word": 11.807611144207158,
        "first mention": 20.859127801232027,
        "name": 2.6449155208971966,
        "place": 0.2226902155096093,
        "object": 0.5516460339024207,
        "quality": 0.7499301906856956,
        "setting": 0.0,
        "feeling": 0.0008675555040947592,
    },
    words={
        "closed word": 35.56852362621585,
        "first mention": 8.67583601104223,
        "name": 4.745602686938237,
        "place": 1.5722881470614058,
        "object": 2.375859228571282,
        "quality": 1.0894722643860724,
        "setting": 0.7206082424917623,
        "feeling": 0.14411840263663098,
    },
)
