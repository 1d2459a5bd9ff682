----------------------------- MODULE RetryStorm -----------------------------
\* A chain of services above one that may fail. Each of them calls the next one and tries again what failed, within
\* a budget of its own: every call it makes saves up a share of a retry. One call at a time travels down and up.
\*
\* Who has given up on a failure says so; nobody further out makes up for it.
EXTENDS Naturals

CONSTANTS Depth,        \* retrying services: 1 is the outermost; Depth calls the bottom
          Calls,        \* calls from outside
          AttemptsMax,  \* of each service, for one call
          Share,        \* a call saves up 1/Share of a retry
          Burst,        \* retries that a service may have saved up
          Budgeted,     \* FALSE: retries without a budget
          Told          \* FALSE: a service does not hear that one further in has given up

ASSUME /\ Depth \in Nat \ {0} /\ Calls \in Nat /\ AttemptsMax \in Nat \ {0} /\ Share \in Nat \ {0}
       /\ Burst \in Nat \ {0} /\ Budgeted \in BOOLEAN /\ Told \in BOOLEAN

VARIABLES calls,    \* begun from outside
          bottom,   \* attempts that have reached the bottom
          credit,   \* of each service, in 1/Share of a retry
          retries,  \* of each service, in the call that is on its way
          at,       \* where that call is: 0 = outside, Depth + 1 = the bottom
          back,     \* on the way up
          failed,   \* what it comes back with
          gaveUp    \* ... and whether a service has given up on it

vars == <<calls, bottom, credit, retries, at, back, failed, gaveUp>>

Services == 1..Depth

TypeOK == /\ calls \in 0..Calls
          /\ bottom \in Nat
          /\ credit \in [Services -> 0..Burst * Share]
          /\ retries \in [Services -> 0..AttemptsMax - 1]
          /\ at \in 0..Depth + 1
          /\ back \in BOOLEAN /\ failed \in BOOLEAN /\ gaveUp \in BOOLEAN

Init == /\ calls = 0 /\ bottom = 0
        /\ credit = [s \in Services |-> 0]
        /\ retries = [s \in Services |-> 0]
        /\ at = 0 /\ back = FALSE /\ failed = FALSE /\ gaveUp = FALSE

Min(a, b) == IF a < b THEN a ELSE b

----------------------------------------------------------------------------
Call ==
    /\ at = 0 /\ ~back /\ calls < Calls
    /\ calls' = calls + 1
    /\ at' = 1
    /\ failed' = FALSE /\ gaveUp' = FALSE
    /\ UNCHANGED <<bottom, credit, retries, back>>

\* A service begins to call the one below it.
Descend(s) ==
    /\ at = s /\ ~back
    /\ credit' = [credit EXCEPT ![s] = Min(@ + 1, Burst * Share)]
    /\ retries' = [retries EXCEPT ![s] = 0]
    /\ at' = s + 1
    /\ UNCHANGED <<calls, bottom, back, failed, gaveUp>>

\* A service fails by itself, before it has called anybody.
FailHere(s) ==
    /\ at = s /\ ~back /\ s > 1
    /\ failed' = TRUE /\ gaveUp' = FALSE
    /\ back' = TRUE
    /\ at' = s - 1
    /\ UNCHANGED <<calls, bottom, credit, retries>>

Reach ==
    /\ at = Depth + 1 /\ ~back
    /\ bottom' = bottom + 1
    /\ failed' \in BOOLEAN /\ gaveUp' = FALSE
    /\ back' = TRUE
    /\ at' = Depth
    /\ UNCHANGED <<calls, credit, retries>>

MayRetry(s) == /\ failed
               /\ retries[s] + 1 < AttemptsMax
               /\ Told => ~gaveUp
               /\ Budgeted => credit[s] >= Share

Retry(s) ==
    /\ at = s /\ back /\ MayRetry(s)
    /\ credit' = [credit EXCEPT ![s] = IF Budgeted THEN @ - Share ELSE @]
    /\ retries' = [retries EXCEPT ![s] = @ + 1]
    /\ back' = FALSE
    /\ at' = s + 1
    /\ UNCHANGED <<calls, bottom, failed, gaveUp>>

Return(s) ==
    /\ at = s /\ back /\ ~MayRetry(s)
    /\ gaveUp' = failed
    /\ back' = (s > 1)
    /\ at' = s - 1
    /\ UNCHANGED <<calls, bottom, credit, retries, failed>>

Rest == at = 0 /\ calls = Calls /\ UNCHANGED vars

Next == \/ Call \/ Reach \/ Rest
        \/ \E s \in Services : Descend(s) \/ FailHere(s) \/ Retry(s) \/ Return(s)

Spec == Init /\ [][Next]_vars
LiveSpec == Spec /\ WF_vars(Next)

----------------------------------------------------------------------------
\* attempts <= calls * (1 + 1/Share), however deep the chain.
NoStorm == Share * bottom <= (Share + 1) * calls

EveryCallEnds == (at > 0) ~> (at = 0)
=============================================================================
