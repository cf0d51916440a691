package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class CommandLineTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          serve --port abc     | weir serve: Invalid value for option '--port': 'abc' is not a whole number
          serve --port 9999999999 | weir serve: Invalid value for option '--port': '9999999999' is too large
          serve --prot 1       | weir serve: unknown option '--prot' (did you mean '--port'?)
          serve --prt=80       | weir serve: unknown option '--prt=80' (did you mean '--port'?)
          serve --budgt 1G     | weir serve: unknown option '--budgt' (did you mean '--budget'?)
          serve --budget 100T  | weir serve: Invalid value for option '--budget': 100T is too large: it must be in 16M..1T
          serve --budget 99999999999999999G | weir serve: Invalid value for option '--budget': '99999999999999999G' is too large
          serve --unheard      | weir serve: unknown option '--unheard'
          sevre                | weir: unknown argument 'sevre' (did you mean 'serve'?)
          help srve            | weir help: unknown command 'srve' (did you mean 'serve'?)
          help lab nonsense    | weir help: unknown command 'nonsense'
          serve --budget       | weir serve: Missing required parameter for option '--budget'
          nonsense             | weir: unknown argument 'nonsense'
          lab run nonsense     | weir lab run: unknown argument 'nonsense'
          replicate fetch ftp://h/x d | weir replicate fetch: 'ftp://h/x' is no http(s)://HOST:PORT/NAME
          replicate fetch http://h/a/b d | weir replicate fetch: 'http://h/a/b' names no container
          replicate fetch http://h/a d --rate fast | weir replicate fetch: Invalid value for option '--rate': 'fast' is no amount of bytes
          replicate push . ftp://h/ | weir replicate push: 'ftp://h/' is no http(s)://HOST:PORT/NAME
          replicate serve --listen 0.0.0.0:0 --imports d | weir replicate serve: --imports at 0.0.0.0:0 would let everybody write
          replicate serve          | weir replicate serve: name a directory to offer, or --imports DIR, or both
          bench alloc --quik   | weir bench alloc: unknown option '--quik'
          """)
  void aWrongFlagIsOneLineThatNamesIt(String arguments, String expected) {
    assertThat(execute(arguments)).isEqualTo(2);
    assertThat(out.toString()).isEmpty();
    assertThat(err.toString()).startsWith(expected).endsWith(" --help'\n").hasLineCount(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--help",
        "serve --help",
        "help",
        "help serve",
        "help help",
        "help lab run",
        "doctor --help",
        "lab --help",
        "lab run -h",
        "bench --help",
        "replicate --help",
        "replicate serve --help",
        "replicate fetch --help",
        "replicate push --help",
        "bench alloc -h"
      })
  void helpGoesToStandardOutput(String arguments) {
    assertThat(execute(arguments)).isZero();
    assertThat(out.toString()).startsWith("Usage: weir");
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void alonePrintsTheCommands() {
    assertThat(execute("")).isZero();
    assertThat(out.toString()).contains("serve", "lab", "bench", "Examples:");
  }

  @Test
  void versionNamesWeirAndJava() {
    assertThat(execute("--version")).isZero();
    assertThat(out.toString()).startsWith("weir ").contains("Java " + Runtime.version());
  }

  private int execute(String arguments) {
    CommandLine command = Main.commandLine();
    command.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    return command.execute(arguments.isEmpty() ? new String[0] : arguments.split(" +"));
  }
}
