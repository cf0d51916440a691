package dev.weir.server.top;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.top.Line.Ink;
import org.junit.jupiter.api.Test;

class LineTest {
  @Test
  void aLineThatIsCutEndsWithAnEllipsis() {
    assertThat(new Line(6, false).add("abc").add("def").add("")).hasToString("abcdef");
    assertThat(new Line(6, false).add("abc").add("defg")).hasToString("abcde…");
    assertThat(new Line(6, false).add("abcdef").add("g")).hasToString("abcde…");
    assertThat(new Line(1, false).add("ab")).hasToString("…");
    assertThat(new Line(3, false).add("a😀bc")).hasToString("a…");
  }

  /** Nobody misses blanks. */
  @Test
  void blanksAtTheEndAreNotShown() {
    assertThat(new Line(6, false).add("abc   ").add("    ")).hasToString("abc");
  }

  @Test
  void whatIsCutKeepsItsColour() {
    assertThat(new Line(4, true).add("a").add(Ink.STRONG, "bc").add(Ink.LIVE, "defg").toString())
        .isEqualTo("a\033[1mbc\033[0m\033[34m…\033[0m");
  }

  @Test
  void columnsThatAreLeftAreNotNegative() {
    assertThat(new Line(4, false).add("ab").columnsLeft()).isEqualTo(2);
    assertThat(new Line(4, false).add("abcdef").columnsLeft()).isZero();
  }
}
