package dev.weir.server;

import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A row of the table: something that a client does wrong, and what must come of it over each
 * protocol. Where a protocol has no such thing, it has no script.
 *
 * @param inTheClear whether TLS has no such thing
 */
record HttpCase(
    String name,
    CaseSetting setting,
    @Nullable Script http1,
    @Nullable Script http2,
    @Nullable Outcome http1Outcome,
    @Nullable Outcome http2Outcome,
    boolean inTheClear) {

  /** What the client of a case does; it tells what has come of it. */
  interface Script {
    Outcome play(CaseClient client) throws Exception;
  }

  /** Of HTTP/1.1 alone. */
  static HttpCase http1(String name, Script script, Outcome outcome) {
    return new HttpCase(
        name,
        CaseSetting.USUAL,
        script,
        /* http2= */ null,
        outcome,
        /* http2Outcome= */ null,
        /* inTheClear= */ false);
  }

  /** Of HTTP/2 alone. */
  static HttpCase http2(String name, Script script, Outcome outcome) {
    return new HttpCase(
        name,
        CaseSetting.USUAL,
        /* http1= */ null,
        script,
        /* http1Outcome= */ null,
        outcome,
        /* inTheClear= */ false);
  }

  /** The same over both, with outcomes of their own. */
  static HttpCase both(String name, Script script, Outcome http1, Outcome http2) {
    return new HttpCase(
        name, CaseSetting.USUAL, script, script, http1, http2, /* inTheClear= */ false);
  }

  /** On a node with other limits, or another disk. */
  HttpCase on(CaseSetting other) {
    return new HttpCase(name, other, http1, http2, http1Outcome, http2Outcome, inTheClear);
  }

  /** Not with TLS, where there is no such thing. */
  HttpCase inTheClearAlone() {
    return new HttpCase(
        name, setting, http1, http2, http1Outcome, http2Outcome, /* inTheClear= */ true);
  }

  boolean isOver(CaseWire wire) {
    return script(wire) != null && !(inTheClear && wire.isEncrypted());
  }

  @Nullable Script script(CaseWire wire) {
    return wire.isHttp2() ? http2 : http1;
  }

  @Nullable Outcome outcome(CaseWire wire) {
    return wire.isHttp2() ? http2Outcome : http1Outcome;
  }

  @Override
  public String toString() {
    return name;
  }

  /** All rows. */
  static Stream<HttpCase> table() {
    return Stream.of(
            BadHeadCases.rows(),
            AccessCases.rows(),
            SmugglingCases.rows(),
            BombCases.rows(),
            StallCases.rows(),
            ResetCases.rows(),
            FloodCases.rows(),
            FullDiskCases.rows(),
            EarlyAnswerCases.rows())
        .flatMap(rows -> rows);
  }
}
