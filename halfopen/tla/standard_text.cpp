#include <array>

#include <halfopen/tla/standard_text.hpp>

/// Written here from what the operators mean. A file of the same name on the search path takes the place of a
/// module of the community library, so nobody is held to this reading of it.
namespace halfopen::tla {
namespace {

constexpr std::string_view bags = R"tla(
---- MODULE Bags ----
EXTENDS TLC
LOCAL INSTANCE Naturals

LOCAL Total(f) ==
  LET go[S \in SUBSET DOMAIN f] == IF S = {} THEN 0 ELSE LET d == CHOOSE e \in S : TRUE IN f[d] + go[S \ {d}]
  IN go[DOMAIN f]

IsABag(B) == B \in [DOMAIN B -> Nat \ {0}]
BagToSet(B) == DOMAIN B
SetToBag(S) == [e \in S |-> 1]
EmptyBag == SetToBag({})
BagIn(e, B) == e \in DOMAIN B
CopiesIn(e, B) == IF e \in DOMAIN B THEN B[e] ELSE 0
B1 (+) B2 == [e \in DOMAIN B1 \cup DOMAIN B2 |-> CopiesIn(e, B1) + CopiesIn(e, B2)]
B1 (-) B2 == [e \in {d \in DOMAIN B1 : B1[d] > CopiesIn(d, B2)} |-> B1[e] - CopiesIn(e, B2)]
B1 \sqsubseteq B2 == \A e \in DOMAIN B1 : B1[e] <= CopiesIn(e, B2)
BagUnion(S) ==
  LET go[T \in SUBSET S] == IF T = {} THEN EmptyBag ELSE LET b == CHOOSE c \in T : TRUE IN b (+) go[T \ {b}]
  IN go[S]
BagCardinality(B) == Total(B)
SubBag(B) == UNION {{c \in [S -> 1..BagCardinality(B)] : \A e \in S : c[e] <= B[e]} : S \in SUBSET DOMAIN B}
BagOfAll(F(_), B) ==
  [v \in {F(e) : e \in DOMAIN B} |-> Total([e \in {d \in DOMAIN B : F(d) = v} |-> B[e]])]
====
)tla";

constexpr std::string_view folds = R"tla(
---- MODULE Folds ----
MapThenFoldSet(op(_, _), base, f(_), choose(_), S) ==
  LET go[T \in SUBSET S] == IF T = {} THEN base ELSE LET e == choose(T) IN op(f(e), go[T \ {e}])
  IN go[S]
====
)tla";

constexpr std::string_view functions = R"tla(
---- MODULE Functions ----
LOCAL INSTANCE Folds

Range(f) == {f[x] : x \in DOMAIN f}
Restrict(f, S) == [x \in S |-> f[x]]
RestrictDomain(f, Test(_)) == Restrict(f, {x \in DOMAIN f : Test(x)})
RestrictValues(f, Test(_)) == Restrict(f, {x \in DOMAIN f : Test(f[x])})
IsRestriction(f, g) == DOMAIN f \subseteq DOMAIN g /\ \A x \in DOMAIN f : f[x] = g[x]
Pointwise(Op(_, _), f, g) == [x \in DOMAIN f |-> Op(f[x], g[x])]
Inverse(f, S, T) == [t \in T |-> CHOOSE s \in S : t \in Range(f) => f[s] = t]
AntiFunction(f) == Inverse(f, DOMAIN f, Range(f))
IsInjective(f) == \A a, b \in DOMAIN f : f[a] = f[b] => a = b
Injection(S, T) == {f \in [S -> T] : IsInjective(f)}
Surjection(S, T) == {f \in [S -> T] : \A t \in T : \E s \in S : f[s] = t}
Bijection(S, T) == Injection(S, T) \cap Surjection(S, T)
ExistsInjection(S, T) == Injection(S, T) # {}
ExistsSurjection(S, T) == Surjection(S, T) # {}
ExistsBijection(S, T) == Bijection(S, T) # {}
FoldFunctionOnSet(op(_, _), base, fun, indices) ==
  MapThenFoldSet(op, base, LAMBDA i : fun[i], LAMBDA S : CHOOSE x \in S : TRUE, indices)
FoldFunction(op(_, _), base, fun) == FoldFunctionOnSet(op, base, fun, DOMAIN fun)
====
)tla";

constexpr std::string_view finite_sets_ext = R"tla(
---- MODULE FiniteSetsExt ----
EXTENDS Folds, Functions
LOCAL INSTANCE Naturals
LOCAL INSTANCE FiniteSets

FoldSet(op(_, _), base, set) == MapThenFoldSet(op, base, LAMBDA x : x, LAMBDA s : CHOOSE x \in s : TRUE, set)
ReduceSet(op(_, _), set, acc) == FoldSet(op, acc, set)
SumSet(set) == FoldSet(LAMBDA x, y : x + y, 0, set)
ProductSet(set) == FoldSet(LAMBDA x, y : x * y, 1, set)
MapThenSumSet(op(_), set) ==
  MapThenFoldSet(LAMBDA x, y : x + y, 0, op, LAMBDA s : CHOOSE x \in s : TRUE, set)
SumSetOfAll(op(_), set) == MapThenSumSet(op, set)
FlattenSet(S) == UNION S
SymDiff(A, B) == (A \ B) \cup (B \ A)
Quantify(S, P(_)) == Cardinality({s \in S : P(s)})
kSubset(k, S) == {s \in SUBSET S : Cardinality(s) = k}
Choices(Sets) == {f \in [Sets -> UNION Sets] : \A S \in Sets : f[S] \in S}
ChooseUnique(S, P(_)) == CHOOSE x \in S : P(x) /\ \A y \in S : P(y) => y = x
Max(S) == CHOOSE x \in S : \A y \in S : x >= y
Min(S) == CHOOSE x \in S : \A y \in S : x <= y
====
)tla";

constexpr std::string_view sequences_ext = R"tla(
---- MODULE SequencesExt ----
LOCAL INSTANCE Sequences
LOCAL INSTANCE Naturals
LOCAL INSTANCE FiniteSets
LOCAL INSTANCE TLC
LOCAL INSTANCE Folds

ToSet(s) == {s[i] : i \in DOMAIN s}
SetToSeq(S) ==
  LET RECURSIVE go(_)
      go(T) == IF T = {} THEN <<>> ELSE LET e == CHOOSE x \in T : TRUE IN <<e>> \o go(T \ {e})
  IN go(S)
SetToSeqs(S) == LET s == SetToSeq(S) IN {[i \in 1..Len(s) |-> p[s[i]]] : p \in Permutations(S)}
SetToSortSeq(S, op(_, _)) ==
  LET before(x) == Cardinality({y \in S : y # x /\ op(y, x)})
  IN [i \in 1..Cardinality(S) |-> CHOOSE x \in S : before(x) = i - 1]
SetToAllKPermutations(S) == UNION {SetToSeqs(s) : s \in SUBSET S}
TupleOf(set, n) == [1..n -> set]
SeqOf(set, n) == UNION {[1..m -> set] : m \in 0..n}
BoundedSeq(S, n) == SeqOf(S, n)
Contains(s, e) == \E i \in 1..Len(s) : s[i] = e
Reverse(s) == [i \in 1..Len(s) |-> s[Len(s) + 1 - i]]
Remove(s, e) == SelectSeq(s, LAMBDA t : t # e)
ReplaceAll(s, old, new) == [i \in 1..Len(s) |-> IF s[i] = old THEN new ELSE s[i]]
SelectInSeq(seq, Test(_)) ==
  LET I == {i \in 1..Len(seq) : Test(seq[i])} IN IF I = {} THEN 0 ELSE CHOOSE i \in I : \A j \in I : i <= j
SelectLastInSeq(seq, Test(_)) ==
  LET I == {i \in 1..Len(seq) : Test(seq[i])} IN IF I = {} THEN 0 ELSE CHOOSE i \in I : \A j \in I : i >= j
SelectInSubSeq(seq, from, to, Test(_)) ==
  LET I == {i \in from..to : Test(seq[i])} IN IF I = {} THEN 0 ELSE CHOOSE i \in I : \A j \in I : i <= j
SelectLastInSubSeq(seq, from, to, Test(_)) ==
  LET I == {i \in from..to : Test(seq[i])} IN IF I = {} THEN 0 ELSE CHOOSE i \in I : \A j \in I : i >= j
InsertAt(s, i, e) == SubSeq(s, 1, i - 1) \o <<e>> \o SubSeq(s, i, Len(s))
ReplaceAt(s, i, e) == [s EXCEPT ![i] = e]
RemoveAt(s, i) == SubSeq(s, 1, i - 1) \o SubSeq(s, i + 1, Len(s))
RemoveFirst(s, e) == IF Contains(s, e) THEN RemoveAt(s, SelectInSeq(s, LAMBDA v : v = e)) ELSE s
RemoveFirstMatch(s, Test(_)) ==
  IF \E i \in 1..Len(s) : Test(s[i]) THEN RemoveAt(s, SelectInSeq(s, Test)) ELSE s
ReplaceFirst(s, old, new) == IF Contains(s, old) THEN ReplaceAt(s, SelectInSeq(s, LAMBDA v : v = old), new) ELSE s
Cons(e, s) == <<e>> \o s
Front(s) == SubSeq(s, 1, Len(s) - 1)
Last(s) == s[Len(s)]
IsPrefix(s, t) == Len(s) <= Len(t) /\ SubSeq(s, 1, Len(s)) = SubSeq(t, 1, Len(s))
IsStrictPrefix(s, t) == IsPrefix(s, t) /\ s # t
IsSuffix(s, t) == IsPrefix(Reverse(s), Reverse(t))
IsStrictSuffix(s, t) == IsSuffix(s, t) /\ s # t
Prefixes(s) == {SubSeq(s, 1, l) : l \in 0..Len(s)}
Suffixes(s) == {SubSeq(s, l, Len(s)) : l \in 1..(Len(s) + 1)}
CommonPrefixes(S) == LET P == UNION {Prefixes(s) : s \in S} IN {p \in P : \A s \in S : p \in Prefixes(s)}
LongestCommonPrefix(S) == CHOOSE p \in CommonPrefixes(S) : \A q \in CommonPrefixes(S) : Len(q) <= Len(p)
SubSeqs(s) == {SubSeq(s, i + 1, j) : i, j \in 0..Len(s)}
FoldSeq(op(_, _), base, seq) ==
  MapThenFoldSet(op, base, LAMBDA i : seq[i], LAMBDA S : CHOOSE x \in S : TRUE, DOMAIN seq)
FoldLeft(op(_, _), base, seq) ==
  LET go[i \in 0..Len(seq)] == IF i = 0 THEN base ELSE op(go[i - 1], seq[i]) IN go[Len(seq)]
FoldRight(op(_, _), seq, base) ==
  LET go[i \in 1..(Len(seq) + 1)] == IF i > Len(seq) THEN base ELSE op(seq[i], go[i + 1]) IN go[1]
FoldLeftDomain(op(_, _), base, seq) ==
  LET go[i \in 0..Len(seq)] == IF i = 0 THEN base ELSE op(go[i - 1], i) IN go[Len(seq)]
FoldRightDomain(op(_, _), seq, base) ==
  LET go[i \in 1..(Len(seq) + 1)] == IF i > Len(seq) THEN base ELSE op(i, go[i + 1]) IN go[1]
FlattenSeq(seqs) == FoldLeft(LAMBDA a, b : a \o b, <<>>, seqs)
Zip(s, t) == [i \in 1..Len(s) |-> <<s[i], t[i]>>]
Interleave(s, t) == FlattenSeq([i \in 1..Len(s) |-> <<s[i], t[i]>>])
SeqMod(a, b) == IF a % b = 0 THEN b ELSE a % b
====
)tla";

constexpr std::string_view bags_ext = R"tla(
---- MODULE BagsExt ----
EXTENDS Bags
LOCAL INSTANCE Naturals
LOCAL INSTANCE FiniteSets
LOCAL INSTANCE Folds

BagAdd(B, x) == B (+) SetToBag({x})
BagRemove(B, x) == B (-) SetToBag({x})
BagRemoveAll(B, x) == [e \in DOMAIN B \ {x} |-> B[e]]
MapThenFoldBag(op(_, _), base, f(_), choose(_), B) ==
  LET go[C \in SubBag(B)] == IF DOMAIN C = {} THEN base
                             ELSE LET x == choose(DOMAIN C) IN op(f(x), go[BagRemove(C, x)])
  IN go[B]
FoldBag(op(_, _), base, B) ==
  MapThenFoldBag(op, base, LAMBDA x : x, LAMBDA S : CHOOSE x \in S : TRUE, B)
SumBag(B) == FoldBag(LAMBDA x, y : x + y, 0, B)
ProductBag(B) == FoldBag(LAMBDA x, y : x * y, 1, B)
====
)tla";

constexpr std::string_view relation = R"tla(
---- MODULE Relation ----
LOCAL INSTANCE Naturals
LOCAL INSTANCE FiniteSets

IsReflexive(R, S) == \A x \in S : R[x, x]
IsIrreflexive(R, S) == \A x \in S : ~R[x, x]
IsSymmetric(R, S) == \A x, y \in S : R[x, y] <=> R[y, x]
IsAntiSymmetric(R, S) == \A x, y \in S : R[x, y] /\ R[y, x] => x = y
IsAsymmetric(R, S) == \A x, y \in S : ~(R[x, y] /\ R[y, x])
IsTransitive(R, S) == \A x, y, z \in S : R[x, y] /\ R[y, z] => R[x, z]
IsStrictlyPartiallyOrdered(R, S) == IsIrreflexive(R, S) /\ IsAntiSymmetric(R, S) /\ IsTransitive(R, S)
IsPartiallyOrdered(R, S) == IsReflexive(R, S) /\ IsAntiSymmetric(R, S) /\ IsTransitive(R, S)
IsStrictlyTotallyOrdered(R, S) == IsStrictlyPartiallyOrdered(R, S) /\ \A x, y \in S : x # y => R[x, y] \/ R[y, x]
IsTotallyOrdered(R, S) == IsPartiallyOrdered(R, S) /\ \A x, y \in S : R[x, y] \/ R[y, x]
TransitiveClosure(R, S) ==
  LET N == Cardinality(S)
      go[n \in 0..N] == IF n = 0 THEN [x, y \in S |-> R[x, y]]
                        ELSE LET Q == go[n - 1]
                             IN [x, y \in S |-> Q[x, y] \/ \E z \in S : Q[x, z] /\ Q[z, y]]
  IN go[N]
ReflexiveTransitiveClosure(R, S) == TransitiveClosure([x, y \in S |-> x = y \/ R[x, y]], S)
IsConnected(R, S) == \A x, y \in S : ReflexiveTransitiveClosure(R, S)[x, y]
====
)tla";

constexpr std::string_view graphs = R"tla(
---- MODULE Graphs ----
LOCAL INSTANCE Naturals
LOCAL INSTANCE Sequences
LOCAL INSTANCE FiniteSets

IsDirectedGraph(G) == G = [node |-> G.node, edge |-> G.edge] /\ G.edge \subseteq (G.node \X G.node)
DirectedSubgraph(G) == {H \in [node : SUBSET G.node, edge : SUBSET G.edge] : IsDirectedGraph(H)}
Transpose(G) == [node |-> G.node, edge |-> {<<e[2], e[1]>> : e \in G.edge}]
IsUndirectedGraph(G) == IsDirectedGraph(G) /\ \A e \in G.edge : <<e[2], e[1]>> \in G.edge
UndirectedSubgraph(G) == {H \in DirectedSubgraph(G) : IsUndirectedGraph(H)}
Path(G) == {p \in Seq(G.node) : p # <<>> /\ \A i \in 1..(Len(p) - 1) : <<p[i], p[i + 1]>> \in G.edge}
SimplePath(G) ==
  {p \in UNION {[1..n -> G.node] : n \in 1..Cardinality(G.node)} :
     /\ p # <<>>
     /\ Cardinality({p[i] : i \in DOMAIN p}) = Len(p)
     /\ \A i \in 1..(Len(p) - 1) : <<p[i], p[i + 1]>> \in G.edge}
LOCAL Reached(m, G) ==
  LET RECURSIVE closure(_)
      closure(from) == LET more == from \cup {y \in G.node : \E x \in from : <<x, y>> \in G.edge}
                       IN IF more = from THEN from ELSE closure(more)
  IN closure({m})
AreConnectedIn(m, n, G) == n \in Reached(m, G)
ConnectionsIn(G) == [m, n \in G.node |-> AreConnectedIn(m, n, G)]
IsStronglyConnected(G) == \A m \in G.node : Reached(m, G) = G.node
IsTreeWithRoot(G, r) ==
  /\ IsDirectedGraph(G)
  /\ \A e \in G.edge : e[1] # r /\ \A f \in G.edge : e[1] = f[1] => e = f
  /\ \A n \in G.node : AreConnectedIn(n, r, G)
====
)tla";

constexpr std::string_view undirected_graphs = R"tla(
---- MODULE UndirectedGraphs ----
LOCAL INSTANCE Naturals
LOCAL INSTANCE Sequences
LOCAL INSTANCE FiniteSets

IsUndirectedGraph(G) ==
  /\ G = [node |-> G.node, edge |-> G.edge]
  /\ \A e \in G.edge : \E a, b \in G.node : e = {a, b}
IsLoopFreeUndirectedGraph(G) ==
  /\ G = [node |-> G.node, edge |-> G.edge]
  /\ \A e \in G.edge : \E a, b \in G.node : a # b /\ e = {a, b}
UndirectedSubgraph(G) == {H \in [node : SUBSET G.node, edge : SUBSET G.edge] : IsUndirectedGraph(H)}
Path(G) == {p \in Seq(G.node) : p # <<>> /\ \A i \in 1..(Len(p) - 1) : {p[i], p[i + 1]} \in G.edge}
SimplePath(G) ==
  {p \in UNION {[1..n -> G.node] : n \in 1..Cardinality(G.node)} :
     /\ Cardinality({p[i] : i \in DOMAIN p}) = Len(p)
     /\ \A i \in 1..(Len(p) - 1) : {p[i], p[i + 1]} \in G.edge}
LOCAL Reached(m, G) ==
  LET RECURSIVE closure(_)
      closure(from) == LET more == from \cup {y \in G.node : \E x \in from : {x, y} \in G.edge}
                       IN IF more = from THEN from ELSE closure(more)
  IN closure({m})
AreConnectedIn(m, n, G) == n \in Reached(m, G)
ConnectedComponents(G) == {Reached(m, G) : m \in G.node}
IsStronglyConnected(G) == \A m \in G.node : Reached(m, G) = G.node
====
)tla";

constexpr std::string_view well_founded = R"tla(
---- MODULE WellFoundedInduction ----
EXTENDS Naturals
IsTransitivelyClosedOn(R, S) == \A i, j, k \in S : <<i, j>> \in R /\ <<j, k>> \in R => <<i, k>> \in R
IsWellFoundedOn(R, S) == ~ \E f \in [Nat -> S] : \A n \in Nat : <<f[n + 1], f[n]>> \in R
SetLessThan(s, R, S) == {t \in S : <<t, s>> \in R}
WFDefOn(R, S, Def(_, _)) == \A g, h : \A s \in S :
  (\A t \in SetLessThan(s, R, S) : g[t] = h[t]) => Def(g, s) = Def(h, s)
OpDefinesFcn(f, S, Def(_, _)) == f = CHOOSE g : g = [s \in S |-> Def(g, s)]
WFInductiveDefines(f, S, Def(_, _)) == f = [s \in S |-> Def(f, s)]
WFInductiveUnique(S, Def(_, _)) == \A g, h : WFInductiveDefines(g, S, Def) /\ WFInductiveDefines(h, S, Def) => g = h
OpToRel(_ \prec _, S) == {ss \in S \X S : ss[1] \prec ss[2]}
TransitiveClosureOn(R, S) ==
  {ss \in S \X S : \A U \in SUBSET (S \X S) : R \cap (S \X S) \subseteq U /\ IsTransitivelyClosedOn(U, S) => ss \in U}
PreImage(f(_), S, R) == {ss \in S \X S : <<f(ss[1]), f(ss[2])>> \in R}
LexPairOrdering(R1, R2, S1, S2) ==
  {ss \in (S1 \X S2) \X (S1 \X S2) :
     <<ss[1][1], ss[2][1]>> \in R1 \/ (ss[1][1] = ss[2][1] /\ <<ss[1][2], ss[2][2]>> \in R2)}
====
)tla";

constexpr std::string_view dyadic = R"tla(
---- MODULE DyadicRationals ----
LOCAL INSTANCE Integers
LOCAL INSTANCE Sequences
LOCAL INSTANCE TLC

LOCAL Even(n) == n % 2 = 0
RECURSIVE Reduce(_)
Reduce(p) == IF p.num = 0 THEN [num |-> 0, den |-> 1]
             ELSE IF p.den > 1 /\ Even(p.num) /\ Even(p.den)
                  THEN Reduce([num |-> p.num \div 2, den |-> p.den \div 2]) ELSE p
Zero == [num |-> 0, den |-> 1]
One == [num |-> 1, den |-> 1]
IsDyadicRational(r) == \E i \in 0..r.den : 2 ^ i = r.den
Add(p, q) == Reduce([num |-> p.num * q.den + q.num * p.den, den |-> p.den * q.den])
Half(p) == Reduce([num |-> p.num, den |-> p.den * 2])
PrettyPrint(p) == IF p.num = 0 THEN "0" ELSE IF p.den = 1 THEN ToString(p.num)
                  ELSE ToString(p.num) \o "/" \o ToString(p.den)
====
)tla";

constexpr std::string_view real_time = R"tla(
---- MODULE RealTime ----
EXTENDS Reals
VARIABLE now
RTBound(A, v, D, E) ==
  LET TNext(t) == t' = IF <<A>>_v \/ ~(ENABLED <<A>>_v)' THEN 0 ELSE t + (now' - now)
      Timer(t) == (t = 0) /\ [][TNext(t)]_<<t, v, now>>
      MaxTime(t) == [](t <= E)
      MinTime(t) == [][A => t >= D]_v
  IN \EE t : Timer(t) /\ MaxTime(t) /\ MinTime(t)
RTnow(v) ==
  LET NowNext == now' \in {r \in Real : r > now} /\ UNCHANGED v
  IN now \in Real /\ [][NowNext]_now /\ \A r \in Real : WF_now(NowNext /\ (now' > r))
====
)tla";

constexpr std::string_view apalache = R"tla(
---- MODULE Apalache ----
LOCAL INSTANCE Integers
LOCAL INSTANCE Sequences
a := e == a = e
Gen(size) == {}
Guess(S) == CHOOSE x \in S : TRUE
Skolem(e) == e
Expand(S) == S
ConstCardinality(e) == e
MkSeq(N, F(_)) == [i \in 1..N |-> F(i)]
FunAsSeq(fn, fnLen, capacity) == SubSeq([i \in 1..fnLen |-> fn[i]], 1, capacity)
SetAsFun(S) == LET D == {p[1] : p \in S} IN [x \in D |-> CHOOSE y \in {p[2] : p \in S} : <<x, y>> \in S]
RECURSIVE Repeat(_, _, _)
Repeat(F(_, _), N, x) == IF N = 0 THEN x ELSE F(Repeat(F, N - 1, x), N)
ApaFoldSet(Op(_, _), v, S) ==
  LET go[T \in SUBSET S] == IF T = {} THEN v ELSE LET e == CHOOSE x \in T : TRUE IN Op(go[T \ {e}], e) IN go[S]
ApaFoldSeqLeft(Op(_, _), v, s) ==
  LET go[i \in 0..Len(s)] == IF i = 0 THEN v ELSE Op(go[i - 1], s[i]) IN go[Len(s)]
====
)tla";

constexpr auto texts = std::to_array<standard_text>({
    {"Bags", bags, false},
    {"Folds", folds},
    {"Functions", functions},
    {"FiniteSetsExt", finite_sets_ext},
    {"SequencesExt", sequences_ext},
    {"BagsExt", bags_ext},
    {"Relation", relation},
    {"Graphs", graphs},
    {"UndirectedGraphs", undirected_graphs},
    {"WellFoundedInduction", well_founded},
    {"DyadicRationals", dyadic},
    {"RealTime", real_time, false},
    {"Apalache", apalache},
});

}  // namespace

std::span<standard_text const> standard_texts() noexcept { return texts; }

}  // namespace halfopen::tla
