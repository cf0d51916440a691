package dev.weir.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class BenchCommandTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "alloc --pattern | spiral",
        "alloc --sizes | 0",
        "alloc --sizes | 64K..1K",
        "alloc --sizes | 65M",
        "alloc --sizes | no-such-file",
        "alloc --live | 0",
        "alloc --touch | maybe",
        "alloc --thread | virtual",
        "alloc --leak-detection | loud",
        "alloc --allocators | tcmalloc",
        "alloc --jit | cold",
        "alloc --rounds | 0",
        "virtual --live | many",
        "scale --threads | 0",
        "grow --content | 1024",
        "loops --leak-detection | disabled",
        "hello --leak-detection | disabled",
        "crossthread --sizes | 4G",
        "crossthread --thread | virtual",
        "alloc --json | /no-such-folder/rows.jsonl",
      })
  void aBadFlagIsNamed(String command, String value) {
    String flag = command.substring(command.indexOf(' ') + 1);
    Run run = run((command + " " + value).split(" "));
    assertThat(run.exit()).isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(run.err().lines().findFirst().orElseThrow()).contains(flag);
  }

  @Test
  void moreThanAMachineHoldsIsRefusedBeforeItIsTried() {
    Run run = run("alloc", "--pattern", "ring", "--sizes", "64K..4M", "--live", "65536");
    assertThat(run.exit()).isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(run.err()).contains("--live 65536", "64K..4M", "at most 3,072");
  }

  @Test
  void aFileThatIsNoRecordIsNamed() {
    Run run = run("chart", "no-such-record.json");
    assertThat(run.exit()).isEqualTo(CommandLine.ExitCode.SOFTWARE);
    assertThat(run.err()).contains("no-such-record.json");
  }

  private static Run run(String... arguments) {
    StringWriter err = new StringWriter();
    int exit =
        new CommandLine(new BenchCommand()).setErr(new PrintWriter(err, true)).execute(arguments);
    return new Run(exit, err.toString());
  }

  private record Run(int exit, String err) {}
}
