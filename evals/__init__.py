"""Cases with known answers, and the machinery that scores an assistant on them by re-measuring what it hands in."""
