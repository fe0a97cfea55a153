"""What a guard is, and those that are shipped: each looks at calls before they run, or after."""
