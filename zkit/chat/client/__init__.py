"""`wrap`: the user's own client, with calls that are repaired or refused."""
