package dev.weir.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
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
        "alloc --loops | 0",
        "written --workload | tiny",
        "written --leak-detection | simple",
        "written --allocators | harness",
        "alloc --touch | maybe",
        "crossthread --touch | maybe",
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
        "hello --jit | alone",
        "view --jit | alone",
        "scale --quick --pattern | ring",
        "virtual --quick --pattern | random",
        "hello --allocators | glibc",
        "loops --allocators | harness",
        "alloc --leak-detection simple --allocators | glibc",
        "view --quick --allocators | netty-pooled",
        "compression --quick --allocators | glibc",
        "streams --rows | append-9K",
        "streams --rounds | 0",
        "streams --load | curl",
        "streams --folder | /no-such-folder",
        "streams --json | /no-such-folder/rows.jsonl",
      })
  void aBadFlagIsNamed(String command, String value) {
    String flag = command.substring(command.lastIndexOf(' ') + 1);
    Run run = run((command + " " + value).split(" "));
    assertThat(run.exit()).isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(run.err().lines().filter(line -> line.contains(flag))).isNotEmpty();
  }

  @Test
  void whatIsTooLargeOfAHistogramIsLeftOut(@TempDir Path folder) throws IOException {
    Path sizes = Files.writeString(folder.resolve("a.sizes"), "100000 9\n70000000 1\n");
    StringWriter err = new StringWriter();
    CommandLine command = new CommandLine(new AllocCommand()).setErr(new PrintWriter(err, true));
    command.parseArgs("--quick", "--sizes", sizes.toString());
    assertThat(err.toString()).contains("a.sizes: 1 buffers above 64 MiB are left out");
  }

  @Test
  void aHistogramIsNotReplacedByTheRows(@TempDir Path folder) throws IOException {
    Path sizes = Files.writeString(folder.resolve("a.sizes"), "100 9\n");
    Path link = Files.createSymbolicLink(folder.resolve("rows"), sizes);
    Run run = run("alloc", "--quick", "--sizes", sizes.toString(), "--json", link.toString());
    assertThat(run.exit()).isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(run.err()).contains("--json");
    assertThat(sizes).hasContent("100 9\n");
  }

  @Test
  void whatASuiteHasNoCodeForIsLeftOutInOneLine() {
    Run run = run("view", "--quick", "--allocators", "netty-pooled,glibc");
    assertThat(run.err()).contains("view compares weir only; left out: netty-pooled, glibc");
  }

  @Test
  void buffersAreTouchedUnlessTheUserSaysNo() {
    assertThat(touches()).containsExactly(true);
    assertThat(touches("--touch", "no")).containsExactly(false);
    assertThat(touches("--touch", "no,yes,yes")).containsExactly(false, true);
  }

  private static List<Boolean> touches(String... flags) {
    TouchOption touch = new TouchOption();
    CommandLine.Model.CommandSpec spec = CommandLine.Model.CommandSpec.create();
    spec.addMixin("touch", CommandLine.Model.CommandSpec.forAnnotatedObject(touch));
    new CommandLine(spec).parseArgs(flags);
    return touch.touches();
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
