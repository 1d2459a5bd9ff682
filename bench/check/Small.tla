---- MODULE Small ----
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' = (n + 1) % 3
====
