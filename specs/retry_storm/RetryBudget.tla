----------------------------- MODULE RetryBudget -----------------------------
\* One budget that many calls share: charged when a retry is decided, and held while it waits and runs. The words
\* of the shell (retry_budget_machine.hpp): credit is what is saved up, out is what is charged.
EXTENDS Naturals, FiniteSets

CONSTANTS Callers,      \* e.g. 1..3
          Calls,        \* first attempts, all callers together
          Share,        \* a call saves up 1/Share of a retry
          Burst,        \* retries saved up or out
          ChargedLate   \* TRUE: a retry that waits has only looked at the budget; it is charged when it is sent

ASSUME /\ Calls \in Nat /\ Share \in Nat \ {0} /\ Burst \in Nat \ {0} /\ ChargedLate \in BOOLEAN

VARIABLES state,   \* of each caller: "idle", "calling", "waiting", "retrying"
          calls,   \* first attempts so far
          sent,    \* retries so far
          credit,  \* in 1/Share of a retry
          out      \* charged, and neither ended nor given back

vars == <<state, calls, sent, credit, out>>

TypeOK == /\ state \in [Callers -> {"idle", "calling", "waiting", "retrying"}]
          /\ calls \in 0..Calls
          /\ sent \in Nat
          /\ credit \in 0..Burst * Share
          /\ out \in 0..Burst

Init == /\ state = [c \in Callers |-> "idle"]
        /\ calls = 0 /\ sent = 0 /\ credit = 0 /\ out = 0

Min(a, b) == IF a < b THEN a ELSE b
Put(c, s) == state' = [state EXCEPT ![c] = s]
Saved(amount, charged) == credit' = Min(credit + amount, (Burst - charged) * Share)

----------------------------------------------------------------------------
Call(c) ==
    /\ state[c] = "idle" /\ calls < Calls
    /\ Put(c, "calling")
    /\ calls' = calls + 1
    /\ Saved(1, out)
    /\ UNCHANGED <<sent, out>>

Succeed(c) ==
    /\ state[c] = "calling"
    /\ Put(c, "idle")
    /\ UNCHANGED <<calls, sent, credit, out>>

\* A call has failed, and its retry is decided.
Decide(c) ==
    /\ state[c] = "calling" /\ credit >= Share
    /\ Put(c, "waiting")
    /\ IF ChargedLate THEN UNCHANGED <<credit, out>>
                      ELSE credit' = credit - Share /\ out' = out + 1
    /\ UNCHANGED <<calls, sent>>

GiveUp(c) ==
    /\ state[c] = "calling" /\ credit < Share
    /\ Put(c, "idle")
    /\ UNCHANGED <<calls, sent, credit, out>>

Send(c) ==
    /\ state[c] = "waiting"
    /\ Put(c, "retrying")
    /\ sent' = sent + 1
    /\ IF ChargedLate THEN credit' = credit - Min(credit, Share) /\ out' = Min(out + 1, Burst)
                      ELSE UNCHANGED <<credit, out>>
    /\ UNCHANGED calls

\* The caller goes while its retry waits: never sent, and given back.
CallOff(c) ==
    /\ state[c] = "waiting"
    /\ Put(c, "idle")
    /\ IF ChargedLate THEN UNCHANGED <<credit, out>>
                      ELSE out' = out - 1 /\ Saved(Share, out - 1)
    /\ UNCHANGED <<calls, sent>>

End(c) ==
    /\ state[c] = "retrying"
    /\ Put(c, "idle")
    /\ out' = out - Min(out, 1)
    /\ UNCHANGED <<calls, sent, credit>>

Rest == calls = Calls /\ (\A c \in Callers : state[c] = "idle") /\ UNCHANGED vars

Next == \/ \E c \in Callers : \/ Call(c) \/ Succeed(c) \/ Decide(c) \/ GiveUp(c)
                              \/ Send(c) \/ CallOff(c) \/ End(c)
        \/ Rest

Spec == Init /\ [][Next]_vars

----------------------------------------------------------------------------
Held == {c \in Callers : state[c] \in {"waiting", "retrying"}}

\* What is charged is exactly what waits and runs.
OutIsHeld == out = Cardinality(Held)

\* Retries and what may still become one never exceed what the calls have saved up.
Bounded == Share * sent <= calls
=============================================================================
