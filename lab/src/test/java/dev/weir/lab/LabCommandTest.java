package dev.weir.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

class LabCommandTest {

  @Test
  void theListsOfCommandsAreWholeSentences() {
    CommandLine lab = new CommandLine(new LabCommand());
    for (CommandLine group : new CommandLine[] {lab, lab.getSubcommands().get("run")}) {
      assertThat(group.getSubcommands()).isNotEmpty();
      for (Map.Entry<String, CommandLine> entry : group.getSubcommands().entrySet()) {
        String summary = entry.getValue().getCommandSpec().usageMessage().description()[0];
        assertThat(summary).as(entry.getKey()).endsWith(".").hasSizeLessThan(84);
      }
    }
  }

  @Test
  void everyUsageIsPrintedAsItIsMeant() {
    CommandLine lab = new CommandLine(new LabCommand());
    for (CommandLine scenario : lab.getSubcommands().get("run").getSubcommands().values()) {
      String meant = String.join(" ", scenario.getCommandSpec().usageMessage().description());
      assertThat(scenario.getUsageMessage(Ansi.OFF).replaceAll("\\s+", " "))
          .contains(meant)
          .doesNotContain("%");
    }
  }
}
