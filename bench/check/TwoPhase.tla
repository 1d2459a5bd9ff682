---- MODULE TwoPhase ----
\* A transaction manager asks resource managers to prepare; all commit if all have prepared, else all abort.
\* The protocol of Gray and Lamport's "Consensus on transaction commit", for measuring the checker: with 8 managers
\* 1,745,408 states.
CONSTANT RM
VARIABLES rm, tm, prepared, messages
vars == <<rm, tm, prepared, messages>>

Message == [kind : {"prepared"}, from : RM] \cup [kind : {"commit", "abort"}]
TypeOK == /\ rm \in [RM -> {"working", "prepared", "committed", "aborted"}]
          /\ tm \in {"open", "done"}
          /\ prepared \subseteq RM
          /\ messages \subseteq Message

Init == /\ rm = [r \in RM |-> "working"]
        /\ tm = "open"
        /\ prepared = {}
        /\ messages = {}

Hears(r) == /\ tm = "open"
            /\ [kind |-> "prepared", from |-> r] \in messages
            /\ prepared' = prepared \cup {r}
            /\ UNCHANGED <<rm, tm, messages>>
Decides(kind) == /\ tm = "open"
                 /\ kind = "commit" => prepared = RM
                 /\ tm' = "done"
                 /\ messages' = messages \cup {[kind |-> kind]}
                 /\ UNCHANGED <<rm, prepared>>
Prepares(r) == /\ rm[r] = "working"
               /\ rm' = [rm EXCEPT ![r] = "prepared"]
               /\ messages' = messages \cup {[kind |-> "prepared", from |-> r]}
               /\ UNCHANGED <<tm, prepared>>
GivesUp(r) == /\ rm[r] = "working"
              /\ rm' = [rm EXCEPT ![r] = "aborted"]
              /\ UNCHANGED <<tm, prepared, messages>>
Obeys(r) == /\ \/ [kind |-> "commit"] \in messages /\ rm' = [rm EXCEPT ![r] = "committed"]
               \/ [kind |-> "abort"] \in messages /\ rm' = [rm EXCEPT ![r] = "aborted"]
            /\ UNCHANGED <<tm, prepared, messages>>

Next == \/ Decides("commit") \/ Decides("abort")
        \/ \E r \in RM : Hears(r) \/ Prepares(r) \/ GivesUp(r) \/ Obeys(r)
Spec == Init /\ [][Next]_vars
====
