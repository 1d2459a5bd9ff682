------------------------------- MODULE Names -------------------------------
(* What a name means: the innermost one that was in scope where the text stands, not where it is used; and an
   operator that is given to another is found, a LAMBDA too. *)
EXTENDS Integers, Sequences
CONSTANT Op(_, _)
VARIABLE x

Twice(F(_), n) == F(F(n))
Least(S, Before(_, _)) == CHOOSE a \in S : \A b \in S : a = b \/ Before(a, b)
Shadow(a) == LET b == a + 1 IN {a + b : a2 \in {0}}          \* b is 1 more than the argument, whatever b is outside
Captured(b) == Shadow(b)
Counted[n \in 0..5] == IF n = 0 THEN 0 ELSE 2 + Counted[n - 1]
RECURSIVE Sum(_)
Sum(S) == IF S = {} THEN 0 ELSE LET e == CHOOSE a \in S : TRUE IN e + Sum(S \ {e})
Later(a) == a'                                                \* a parameter under a prime
InNext(S) == (1 \in S)'
Plus(a, b) == a + b

ASSUME Twice(LAMBDA n : n * 3, 2) = 18
ASSUME Least({3, 1, 2}, LAMBDA a, b : a < b) = 1
ASSUME Least({3, 1, 2}, LAMBDA a, b : a > b) = 3
ASSUME \A b \in 1..3 : Captured(b) = {2 * b + 1}
ASSUME LET y == 1 f(n) == n + y IN \A z \in 5..6 : f(z) = z + 1
ASSUME Counted[4] = 8 /\ Sum({1, 2, 3}) = 6
ASSUME Op(2, 3) = 5
ASSUME LET RECURSIVE Go(_, _) Go(n, acc) == IF n = 0 THEN acc ELSE Go(n - 1, Op(acc, n)) IN Go(4, 0) = 10

Init == x = 0
Next == /\ x < 3
        /\ x' = x + 1
        /\ Later(x) = x + 1
        /\ InNext({n \in 1..5 : n = x}) = (x = 0)
Small == x \in 0..3
=============================================================================
