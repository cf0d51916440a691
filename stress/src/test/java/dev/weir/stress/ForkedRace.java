package dev.weir.stress;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.openjdk.jcstress.Main;

/**
 * A jcstress test as jcstress itself runs it: in many JVMs, each with other compilers for the
 * actors. {@code -Dweir.jcstress="-m tough"} replaces the options; the report lies in {@code
 * target/jcstress}.
 */
final class ForkedRace {
  private static final String OPTIONS = System.getProperty("weir.jcstress", "-m quick");
  private static final String JVM_OPTIONS =
      "--enable-native-access=ALL-UNNAMED -XX:-RestrictContended"
          + " -Dio.netty.leakDetection.level=disabled";
  private static final Pattern RESULTS = Pattern.compile("Results: (\\d+) planned; (\\d+) passed");

  private ForkedRace() {}

  static void run(String race) throws IOException, InterruptedException {
    Path reports = Path.of("target", "jcstress", race).toAbsolutePath();
    Files.createDirectories(reports);
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "-t",
                "^" + Pattern.quote(race) + "$",
                "-r",
                reports.toString(),
                "-jvmArgsPrepend",
                JVM_OPTIONS));
    command.addAll(List.of(OPTIONS.trim().split("\\s+")));
    Path output = reports.resolve("output.txt");
    Process process =
        new ProcessBuilder(command)
            .directory(reports.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    int exitCode = process.waitFor();

    String text = Files.readString(output);
    assertThat(exitCode).as(text).isZero();
    Matcher results = RESULTS.matcher(text);
    String passed = "nothing";
    String planned = "something";
    while (results.find()) {
      planned = results.group(1);
      passed = results.group(2);
    }
    assertThat(passed).as(text).isEqualTo(planned);
  }
}
