package dev.weir.cli;

import java.util.Objects;
import picocli.CommandLine.IVersionProvider;

/** What {@code weir --version} prints: this build, and the Java and system it runs on. */
final class VersionText implements IVersionProvider {
  VersionText() {}

  @Override
  public String[] getVersion() {
    String version = Main.class.getPackage().getImplementationVersion();
    return new String[] {
      "weir " + Objects.requireNonNullElse(version, "(not packaged)"),
      "Java %s (%s), %s %s"
          .formatted(
              Runtime.version(),
              System.getProperty("java.vendor"),
              System.getProperty("os.name"),
              System.getProperty("os.arch"))
    };
  }
}
