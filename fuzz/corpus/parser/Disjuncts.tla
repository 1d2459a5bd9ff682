----------------------------- MODULE Disjuncts -----------------------------
(* Ways to write a choice that a search for \/ in the text, or a split at the top level alone, loses. *)
EXTENDS Naturals
VARIABLES x, y, s

Init == x = 0 /\ y = 0 /\ s = "a \\/ b"

Step(d) == IF x < 3 THEN x' = x + d \/ x' = 0 ELSE x' \in {0, 1}

Up ==
  /\ \/ y < 2
     \/ x = 0
  /\ LET up == y + 1 IN y' = IF up > 3 THEN 0 ELSE up
  /\ UNCHANGED <<x, s>>

Move ==
  /\ \E d \in {1, 2} : (Step(d) /\ d > 0) \/ (d = 2 /\ x' = 3 /\ s # "\\/")
  /\ UNCHANGED <<y, s>>

Say ==
  CASE x = 3 /\ y = 3 -> (s' = "b /\\ c" \/ s' = "d") /\ UNCHANGED <<x, y>>
    [] OTHER -> FALSE

Next == Up \/ (Move \/ Say)
Spec == Init /\ [][Next]_<<x, y, s>>

Bounded == x <= 4 /\ y <= 3
=============================================================================
