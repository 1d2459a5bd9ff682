----------------------------- MODULE RateLimiter -----------------------------
\* A rate limiter in one word: due, the time at which the next call would be due if calls came evenly (GCRA). Callers
\* read a clock, and the word, and take their token later by a compare-and-swap, when other callers have been there and
\* the time that was read is stale. Whoever has to wait has its place by the time that it was given.
EXTENDS Naturals, FiniteSets

CONSTANTS Callers,     \* e.g. 1..3
          Horizon,     \* the clock goes from Start to here
          Interval,    \* between two calls that come evenly
          Burst,
          WaitMax,     \* a longer wait is refused
          StaleMints,  \* TRUE: a reading behind the latest one winds the word back (a refill counted twice)
          TwoSteps     \* TRUE: the word is written whether or not it is still what was read

Tolerance == Burst * Interval
Start == Tolerance

ASSUME /\ Horizon \in Nat /\ Interval \in Nat \ {0} /\ Burst \in Nat \ {0} /\ WaitMax \in Nat
       /\ StaleMints \in BOOLEAN /\ TwoSteps \in BOOLEAN

VARIABLES clock,
          due,
          latest,   \* the latest reading by which a token was taken
          state,    \* of each caller: "idle", "asking", "waiting"
          read,     \* what it has read of the clock
          seen,     \* ... and of the word
          before,   \* the word before its grant: where a grant that is called off leaves it
          after,    \* ... and after
          begun     \* how many calls have begun, or will, at each time

vars == <<clock, due, latest, state, read, seen, before, after, begun>>

Times == Start..Horizon + WaitMax

TypeOK == /\ clock \in Start..Horizon
          /\ due \in Nat /\ latest \in Nat
          /\ state \in [Callers -> {"idle", "asking", "waiting"}]
          /\ begun \in [Times -> Nat]

Init == /\ clock = Start /\ due = 0 /\ latest = Start
        /\ state = [c \in Callers |-> "idle"]
        /\ read = [c \in Callers |-> 0] /\ seen = [c \in Callers |-> 0]
        /\ before = [c \in Callers |-> 0] /\ after = [c \in Callers |-> 0]
        /\ begun = [t \in Times |-> 0]

Max(a, b) == IF a > b THEN a ELSE b
Put(c, s) == state' = [state EXCEPT ![c] = s]

----------------------------------------------------------------------------
Tick == /\ clock < Horizon
        /\ clock' = clock + 1
        /\ UNCHANGED <<due, latest, state, read, seen, before, after, begun>>

Ask(c) == /\ state[c] = "idle"
          /\ Put(c, "asking")
          /\ read' = [read EXCEPT ![c] = clock]
          /\ seen' = [seen EXCEPT ![c] = due]
          /\ UNCHANGED <<clock, due, latest, before, after, begun>>

\* Somebody else was quicker: look again, with the same reading of the clock.
LookAgain(c) == /\ state[c] = "asking" /\ seen[c] /= due /\ ~TwoSteps
                /\ seen' = [seen EXCEPT ![c] = due]
                /\ UNCHANGED <<clock, due, latest, state, read, before, after, begun>>

\* The word as the caller takes it to be.
Word(c) == IF StaleMints /\ read[c] < latest
             THEN seen[c] - (IF latest - read[c] < seen[c] THEN latest - read[c] ELSE seen[c])
             ELSE seen[c]
From(c) == Max(Word(c), read[c])
Ready(c) == Max(read[c], From(c) + Interval - Tolerance)

Take(c) == /\ state[c] = "asking" /\ (seen[c] = due \/ TwoSteps)
           /\ Ready(c) <= read[c] + WaitMax
           /\ due' = From(c) + Interval
           /\ latest' = IF StaleMints THEN read[c] ELSE Max(latest, read[c])
           /\ before' = [before EXCEPT ![c] = From(c)]
           /\ after' = [after EXCEPT ![c] = From(c) + Interval]
           /\ begun' = [begun EXCEPT ![Ready(c)] = @ + 1]
           /\ Put(c, "waiting")
           /\ UNCHANGED <<clock, read, seen>>

Refuse(c) == /\ state[c] = "asking" /\ (seen[c] = due \/ TwoSteps)
             /\ Ready(c) > read[c] + WaitMax
             /\ Put(c, "idle")
             /\ UNCHANGED <<clock, due, latest, read, seen, before, after, begun>>

\* When a call of this caller begins.
When(c) == Max(read[c], after[c] - Tolerance)

Begin(c) == /\ state[c] = "waiting" /\ clock >= When(c)
            /\ Put(c, "idle")
            /\ UNCHANGED <<clock, due, latest, read, seen, before, after, begun>>

\* It is called off, or was refused further in: never sent. Only the latest grant leaves no trace.
CallOff(c) == /\ state[c] = "waiting"
              /\ Put(c, "idle")
              /\ due' = IF due = after[c] THEN before[c] ELSE due
              /\ begun' = [begun EXCEPT ![When(c)] = @ - 1]
              /\ UNCHANGED <<clock, latest, read, seen, before, after>>

Rest == /\ clock = Horizon /\ (\A c \in Callers : state[c] = "idle") /\ UNCHANGED vars

Next == \/ Tick \/ Rest
        \/ \E c \in Callers : Ask(c) \/ LookAgain(c) \/ Take(c) \/ Refuse(c) \/ Begin(c) \/ CallOff(c)

Spec == Init /\ [][Next]_vars

----------------------------------------------------------------------------
RECURSIVE Sum(_, _)
Sum(s, t) == IF s > t THEN 0 ELSE begun[s] + Sum(s + 1, t)

\* In any stretch of time there begin at most the burst and what the rate gives.
Bounded == \A s \in Times : \A t \in s..Horizon + WaitMax : Sum(s, t) <= Burst + (t - s) \div Interval

Waiting == {c \in Callers : state[c] = "waiting"}

\* Two grants never have the same place, and who was granted first begins no later.
InOrder == \A c, d \in Waiting : c /= d => /\ after[c] /= after[d]
                                           /\ (after[c] < after[d] /\ read[c] <= read[d]) => When(c) <= When(d)
=============================================================================
