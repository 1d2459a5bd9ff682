------------------------------- MODULE Lazy --------------------------------
(* Sets that nobody could build answer what is asked of them. *)
EXTENDS Integers, Sequences, FiniteSets
VARIABLES f, n
Big == SUBSET (1..60)

ASSUME Cardinality(SUBSET (1..30)) = 2 ^ 30
ASSUME {1, 60} \in Big /\ {0} \notin Big
ASSUME [i \in 1..3 |-> {i}] \in [1..3 -> Big]
ASSUME <<{1}, {2}>> \in Seq(Big) /\ <<{1}, 5..9>> \in Big \X Big
ASSUME \E s \in SUBSET (1..60) : Cardinality(s) = 1
ASSUME [a |-> 1, b |-> 10 ^ 9] \in [a : Nat, b : Int]

TypeOK == f \in [1..3 -> Big] /\ n \in Nat
Init == f = [i \in 1..3 |-> {}] /\ n = 0
Next == /\ n < 3
        /\ n' = n + 1
        /\ f' = [f EXCEPT ![n'] = {n'}]
=============================================================================
