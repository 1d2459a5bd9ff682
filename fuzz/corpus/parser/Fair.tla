------------------------------- MODULE Fair --------------------------------
(* x goes round 0, 1, 2, or leaves for 3 and stays there; y tells whether it has left. *)
EXTENDS Naturals
VARIABLES x, y
vars == <<x, y>>

Init == x = 0 /\ y = FALSE
Round == x < 3 /\ x' = (x + 1) % 3 /\ UNCHANGED y
Leave == x = 1 /\ x' = 3 /\ y' = TRUE
Stay == x = 3 /\ UNCHANGED vars
Next == Round \/ Leave \/ Stay

Unfair == Init /\ [][Next]_vars
WeakRound == Unfair /\ WF_vars(Round)
WeakBoth == Unfair /\ WF_vars(Round) /\ WF_vars(Leave)
StrongLeave == Unfair /\ WF_vars(Round) /\ SF_vars(Leave)

Starts == <>(x = 1)                       \* broken by standing still, unless Round is fair
Leaves == <>(x = 3)                       \* wants strong fairness of Leave: it is not enabled all the time
Settles == <>[](x = 3)
NeverSettles == []<>(x = 0)               \* a cycle through 0 is no witness against it; the one at 3 is
StaysLeft == (x = 3) ~> [](x = 3)         \* holds in every form: the cycle 0, 1, 2 says nothing about it
ReachesAndStays == (x = 1) ~> <>[]y       \* several components: 0, 1, 2 breaks it, 3 does not
Pairs == \A <<i, j>> \in {<<0, 1>>, <<1, 2>>} : (x = i) ~> (x \in {j, 3})
WrongPairs == \A <<i, j>> \in {<<0, 1>>, <<2, 3>>} : (x = i) ~> (x = j)
=============================================================================
