package dev.weir.lab.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import picocli.CommandLine.Help.Ansi;

class TextTableTest {

  @Test
  void alignsTheFirstColumnLeftAndTheOthersRight() {
    TextTable table = new TextTable("name", "n", "seconds");
    table.add("weir", "64", "9.86");
    table.add("netty-pooled", "@|red 4|@", "6.05");
    assertThat(table.render(Ansi.OFF))
        .isEqualTo(
            """
            name            n   seconds
            weir           64      9.86
            netty-pooled    4      6.05
            """);
  }

  @Test
  void coloursDoNotCountAsWidth() {
    TextTable table = new TextTable("a", "b");
    table.add("x", "@|red 4|@");
    assertThat(table.render(Ansi.ON)).contains("\u001b[31m4").startsWith("a   b\n");
  }

  @Test
  void everyRowHasEveryColumn() {
    TextTable table = new TextTable("a", "b");
    assertThatThrownBy(() -> table.add("x")).isInstanceOf(IllegalArgumentException.class);
  }
}
