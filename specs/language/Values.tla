------------------------------ MODULE Values -------------------------------
(* One value in many spellings is one state: a tuple, a sequence and a function on 1..n; a record and a function on
   strings; a set in any order, as an interval, a filter or a difference. *)
EXTENDS Integers, Sequences, FiniteSets, TLC
VARIABLE v

Pair == {<<1, 2>>, [i \in 1..2 |-> i], [i \in {2, 1} |-> i], Append(<<1>>, 2), (2 :> 2) @@ (1 :> 1),
         [<<0, 2>> EXCEPT ![1] = 1], SubSeq(<<1, 2, 3>>, 1, 2), [i \in {j \in 0..5 : j \in 1..2} |-> i]}
Record == {[a |-> 1, b |-> 2], [k \in {"b", "a"} |-> IF k = "a" THEN 1 ELSE 2], ("b" :> 2) @@ ("a" :> 1)}
Set == {{1, 2, 3}, 1..3, {3, 2, 1, 1}, {i \in 0..9 : i \in 1..3}, (1..5) \ {4, 5}, UNION {{1}, 2..3}, DOMAIN <<7, 8, 9>>}
Empty == {<<>>, [i \in {} |-> i], [i \in 1..0 |-> i], Tail(<<1>>), SelectSeq(<<1, 2>>, LAMBDA e : e > 2)}

ASSUME Cardinality(Pair) = 1 /\ Cardinality(Record) = 1 /\ Cardinality(Set) = 1 /\ Cardinality(Empty) = 1

Tagged(tag, S) == {<<tag, e>> : e \in S}
Init == v \in Tagged("pair", Pair)
Next == \/ v' \in Tagged("pair", Pair)
        \/ v' \in Tagged("record", Record)
        \/ v' \in Tagged("set", Set)
        \/ v' \in Tagged("empty", Empty)
Same == v \in {<<"pair", <<1, 2>>>>, <<"record", [b |-> 2, a |-> 1]>>, <<"set", 1..3>>, <<"empty", <<>>>>}
=============================================================================
