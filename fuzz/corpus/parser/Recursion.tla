----------------------------- MODULE Recursion -----------------------------
(* Recursive operators that give variables values, before and behind what else an action says. *)
EXTENDS Naturals
VARIABLES x, y, z

RECURSIVE Start(_), Pick(_), Each(_)
Start(i) == IF i = 0 THEN x = 0 /\ y = 0 ELSE Start(i - 1)
Pick(i) == IF i = 0 THEN x' = 0 ELSE (x < 3 /\ x' = x + i) \/ Pick(i - 1)
Each(i) == IF i > 2 THEN TRUE
           ELSE (IF i = 1 THEN y' \in {y, 1 - y} ELSE z' \in {z, 1 - z}) /\ Each(i + 1)

Init == Start(3) /\ z = 0
Next == Pick(2) /\ Each(1) /\ y' + z' < 2

Bounded == x <= 4 /\ y + z < 2 /\ ENABLED Pick(2)
=============================================================================
