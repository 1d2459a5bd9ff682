----------------------------- MODULE Degradation -----------------------------
\* A fallback's ladder: live, an alternative, the last good value while it is not too old, a fixed one. The thing
\* that is called and the alternative fail and heal; one call after the other climbs down as far as it must.
EXTENDS Naturals

CONSTANTS AgeMax,       \* a stored value is given up to this age
          Faults,       \* how often anything may fail
          CachesRungs,  \* TRUE: the answer of a rung is stored as if it were live
          CacheFirst    \* TRUE: a stored value that is young enough is given without asking

ASSUME AgeMax \in Nat /\ Faults \in Nat /\ CachesRungs \in BOOLEAN /\ CacheFirst \in BOOLEAN

VARIABLES up,      \* of "live" and "alternative": whether it has an answer
          faults,  \* that may still come
          at,      \* the rung that is being asked, or "idle"
          failed,  \* the rungs that had no answer in this call
          rung,    \* that gave the latest answer
          age,     \* of the stored value, as the fallback believes; AgeMax + 1 = too old, or none
          real,    \* ... since it was live indeed
          shown    \* the real age of the latest answer

vars == <<up, faults, at, failed, rung, age, real, shown>>

Rungs == {"live", "alternative", "stale", "static"}
Never == AgeMax + 1

Better(r) == CASE r = "live"        -> {}
               [] r = "alternative" -> {"live"}
               [] r = "stale"       -> {"live", "alternative"}
               [] OTHER             -> {"live", "alternative", "stale"}

TypeOK == /\ up \in [{"live", "alternative"} -> BOOLEAN]
          /\ faults \in 0..Faults
          /\ at \in Rungs \cup {"idle"}
          /\ failed \in SUBSET Rungs
          /\ rung \in Rungs
          /\ age \in 0..Never /\ real \in 0..Never /\ shown \in 0..Never

Init == /\ up = [s \in {"live", "alternative"} |-> TRUE]
        /\ faults = Faults
        /\ at = "idle" /\ failed = {} /\ rung = "live"
        /\ age = Never /\ real = Never /\ shown = 0

Older(a) == IF a < Never THEN a + 1 ELSE a

----------------------------------------------------------------------------
Fail(s) ==
    /\ up[s] /\ faults > 0
    /\ up' = [up EXCEPT ![s] = FALSE]
    /\ faults' = faults - 1
    /\ UNCHANGED <<at, failed, rung, age, real, shown>>

Heal(s) ==
    /\ ~up[s]
    /\ up' = [up EXCEPT ![s] = TRUE]
    /\ UNCHANGED <<faults, at, failed, rung, age, real, shown>>

Tick ==
    /\ age < Never \/ real < Never
    /\ age' = Older(age) /\ real' = Older(real)
    /\ UNCHANGED <<up, faults, at, failed, rung, shown>>

Begin ==
    /\ at = "idle"
    /\ at' = IF CacheFirst /\ age <= AgeMax THEN "stale" ELSE "live"
    /\ failed' = {}
    /\ UNCHANGED <<up, faults, rung, age, real, shown>>

Has(r) == CASE r \in {"live", "alternative"} -> up[r]
            [] r = "stale"                   -> age <= AgeMax
            [] OTHER                         -> TRUE

\* Only what is live is stored.
Store(r) == CASE r = "live"   -> age' = 0 /\ real' = 0
              [] CachesRungs  -> age' = 0 /\ real' = IF r = "stale" THEN real ELSE Never
              [] OTHER        -> UNCHANGED <<age, real>>

Answer ==
    /\ at # "idle" /\ Has(at)
    /\ rung' = at
    /\ shown' = IF at = "stale" THEN real ELSE 0
    /\ Store(at)
    /\ at' = "idle"
    /\ UNCHANGED <<up, faults, failed>>

\* The next rung.
ClimbDown ==
    /\ at # "idle" /\ ~Has(at)
    /\ failed' = failed \cup {at}
    /\ at' = CASE at = "live"        -> "alternative"
               [] at = "alternative" -> "stale"
               [] OTHER              -> "static"
    /\ UNCHANGED <<up, faults, rung, age, real, shown>>

Next == \/ \E s \in {"live", "alternative"} : Fail(s) \/ Heal(s)
        \/ Tick \/ Begin \/ Answer \/ ClimbDown

Spec == Init /\ [][Next]_vars

LiveSpec == /\ Spec
            /\ \A s \in {"live", "alternative"} : WF_vars(Heal(s))
            /\ WF_vars(Begin) /\ WF_vars(Answer) /\ WF_vars(ClimbDown)

----------------------------------------------------------------------------
\* A rung is asked when every better one has had no answer in this call.
BestRung == at # "idle" => failed = Better(at)

StaleIsBounded == shown <= AgeMax

EveryCallIsAnswered == (at # "idle") ~> (at = "idle")
BackToLive == <>[](rung = "live")
=============================================================================
