"""The loop that trains, and the state that it can stop and go on from."""
