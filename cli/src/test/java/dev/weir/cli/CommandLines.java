package dev.weir.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import picocli.CommandLine;

/** The command as the shell has it, in this process. */
public final class CommandLines {
  private CommandLines() {}

  /** What a command printed, and how it ended. */
  public record Ended(int exitCode, String out, String err) {}

  /** Runs one to its end. */
  public static Ended run(String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine command = Main.commandLine();
    command.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    int exitCode = command.execute(arguments);
    return new Ended(exitCode, out.toString(), err.toString());
  }
}
