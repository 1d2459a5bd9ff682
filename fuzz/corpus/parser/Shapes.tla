---- MODULE Shapes ----
EXTENDS Integers, Sequences
CONSTANTS N, _ \prec _, Op(_, _)
VARIABLES x, y
ASSUME Positive == N > 0
LOCAL a ++ b == <<a, b>>
f[i \in 0..N, <<j, k>> \in Nat \X Nat] == [f EXCEPT ![i, <<j, k>>].a[1] = @ + 1]
---- MODULE Inner ----
VARIABLE z
Zero == z = 0
====
I(p) == INSTANCE Inner WITH z <- x + p
A == \/ /\ x' \in {e \in 1..3 : e # 2}
        /\ UNCHANGED y
     \/ LET RECURSIVE g(_) g(n) == IF n = 0 THEN 0 ELSE g(n - 1) IN x' = g(3)
     \/ CASE x = 1 -> TRUE [] OTHER -> FALSE
B == lab(i) :: \A i \in 1..2, q, r \in {} : ~(q \prec r) => I(i)!Zero
Spec == (x = 0) /\ [][A]_<<x, y>> /\ WF_x(A) /\ SF_y(<<A>>_x) /\ (B ~> <>[]Positive)
THEOREM T == Spec => []B
PROOF
<1>1. ASSUME NEW c PROVE c = c OBVIOUS
<1> QED BY <1>1 DEF A
(* a comment (* in a comment *) *) \* and one to the end
====
