--------------------------- MODULE CircuitBreaker ---------------------------
\* A circuit breaker of a single process: Closed until MaxFailures calls in a row have failed, Open until
\* MaxOpenTicks ticks have passed, then HalfOpen, in which one probe decides.
\*
\* A call in Closed is one step here; only a probe takes time. (Calls that begin in one state and end in
\* another are the subject of another spec.)
EXTENDS Naturals, FiniteSets

CONSTANTS NumCallers,    \* callers are 1..NumCallers
          MaxFailures,   \* this many failures in a row open the breaker
          MaxOpenTicks,  \* this many ticks later it half-opens
          Hardened       \* TRUE: a probe asks whether one is in flight. FALSE: the naive form, which does not

ASSUME /\ NumCallers \in Nat \ {0} /\ MaxFailures \in Nat \ {0} /\ MaxOpenTicks \in Nat
       /\ Hardened \in BOOLEAN

VARIABLES state,           \* "Closed", "Open" or "HalfOpen"
          failureCount,    \* failures in a row
          openTicks,       \* ticks since it opened
          probeInflight,   \* the reservation of the probe's slot
          probesAccepted,  \* probes let through in this half-open episode
          callerActive     \* the callers inside a call that takes time: the probes

vars == <<state, failureCount, openTicks, probeInflight, probesAccepted, callerActive>>

Callers == 1..NumCallers

TypeOK == /\ state \in {"Closed", "Open", "HalfOpen"}
          /\ failureCount \in 0..MaxFailures
          /\ openTicks \in 0..MaxOpenTicks
          /\ probeInflight \in BOOLEAN
          /\ probesAccepted \in Nat
          /\ callerActive \in SUBSET Callers

Init == /\ state = "Closed"
        /\ failureCount = 0
        /\ openTicks = 0
        /\ probeInflight = FALSE
        /\ probesAccepted = 0
        /\ callerActive = {}

----------------------------------------------------------------------------
ClosedCallSuccess(c) ==
    /\ state = "Closed" /\ c \notin callerActive
    /\ failureCount' = 0
    /\ UNCHANGED <<state, openTicks, probeInflight, probesAccepted, callerActive>>

ClosedCallFailure(c) ==
    /\ state = "Closed" /\ c \notin callerActive
    /\ failureCount + 1 < MaxFailures
    /\ failureCount' = failureCount + 1
    /\ UNCHANGED <<state, openTicks, probeInflight, probesAccepted, callerActive>>

ClosedCallFailureTripBreaker(c) ==
    /\ state = "Closed" /\ c \notin callerActive
    /\ failureCount + 1 >= MaxFailures
    /\ state' = "Open"
    /\ openTicks' = 0
    /\ failureCount' = MaxFailures
    /\ UNCHANGED <<probeInflight, probesAccepted, callerActive>>

OpenShortCircuit(c) ==
    /\ state = "Open" /\ c \notin callerActive
    /\ UNCHANGED vars

OpenTick ==
    /\ state = "Open" /\ openTicks < MaxOpenTicks
    /\ openTicks' = openTicks + 1
    /\ UNCHANGED <<state, failureCount, probeInflight, probesAccepted, callerActive>>

OpenTimerElapses ==
    /\ state = "Open" /\ openTicks = MaxOpenTicks
    /\ state' = "HalfOpen"
    /\ probeInflight' = FALSE
    /\ probesAccepted' = 0
    /\ UNCHANGED <<failureCount, openTicks, callerActive>>

HalfOpenProbeStart(c) ==
    /\ state = "HalfOpen" /\ c \notin callerActive
    /\ Hardened => ~probeInflight
    /\ probeInflight' = TRUE
    /\ probesAccepted' = probesAccepted + 1
    /\ callerActive' = callerActive \cup {c}
    /\ UNCHANGED <<state, failureCount, openTicks>>

HalfOpenProbeRejected(c) ==
    /\ state = "HalfOpen" /\ c \notin callerActive
    /\ probeInflight
    /\ UNCHANGED vars

HalfOpenProbeSuccess(c) ==
    /\ state = "HalfOpen" /\ c \in callerActive
    /\ state' = "Closed"
    /\ failureCount' = 0
    /\ probeInflight' = FALSE
    /\ callerActive' = callerActive \ {c}
    /\ UNCHANGED <<openTicks, probesAccepted>>

HalfOpenProbeFailure(c) ==
    /\ state = "HalfOpen" /\ c \in callerActive
    /\ state' = "Open"
    /\ openTicks' = 0
    /\ probeInflight' = FALSE
    /\ callerActive' = callerActive \ {c}
    /\ UNCHANGED <<failureCount, probesAccepted>>

Next == \/ \E c \in Callers : \/ ClosedCallSuccess(c)
                              \/ ClosedCallFailure(c)
                              \/ ClosedCallFailureTripBreaker(c)
                              \/ OpenShortCircuit(c)
                              \/ HalfOpenProbeStart(c)
                              \/ HalfOpenProbeRejected(c)
                              \/ HalfOpenProbeSuccess(c)
                              \/ HalfOpenProbeFailure(c)
        \/ OpenTick
        \/ OpenTimerElapses

Spec == Init /\ [][Next]_vars

----------------------------------------------------------------------------
NoDoubleProbe == (state = "HalfOpen" /\ probeInflight) => Cardinality(callerActive) <= 1

NoOrphanReservation == probeInflight => Cardinality(callerActive) >= 1

ProbeAcceptedIsBounded == probesAccepted <= 1

----------------------------------------------------------------------------
\* Time passes, somebody calls while the breaker is half-open, and every probe ends.
FairTime == WF_vars(OpenTick) /\ WF_vars(OpenTimerElapses)
FairCallers == WF_vars(\E c \in Callers : HalfOpenProbeStart(c))
FairCompletions == \A c \in Callers : WF_vars(HalfOpenProbeSuccess(c) \/ HalfOpenProbeFailure(c))

LiveSpec == Spec /\ FairTime /\ FairCallers /\ FairCompletions

EveryCallCompletes == \A c \in Callers : c \in callerActive ~> c \notin callerActive

OpenLeadsToHalfOpen == state = "Open" ~> state = "HalfOpen"

HalfOpenLeadsToDecision == state = "HalfOpen" ~> state \in {"Closed", "Open"}
=============================================================================
