package dev.weir.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** A folder that looks like a JDK 17 whose launcher is a script: a peer that goes wrong. */
public final class ScriptedJdk {
  /** What a peer says first. */
  public static final String HELLO = "echo '{\"netty\":\"4.1\"}'\n";

  /** Ends by the first signal, without a child that would outlive it. */
  public static final String HANG = "exec sleep 600\n";

  private ScriptedJdk() {}

  /** Makes one in a new folder within {@code parent}. */
  public static Path create(Path parent, String script) throws IOException {
    Path home = Files.createTempDirectory(parent, "jdk");
    Files.writeString(home.resolve("release"), "JAVA_VERSION=\"17.0.1\"\n");
    Path java = Files.createDirectory(home.resolve("bin")).resolve("java");
    Files.writeString(java, "#!/bin/sh\n" + script + "\n");
    Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwxr-xr-x"));
    return home;
  }

  /** A script that acts by the version of Netty that is asked for. */
  public static String byVersion(String one, String script, String another, String otherScript) {
    return "case \"$*\" in\n*netty-%s*)\n%s\n;;\n*netty-%s*)\n%s\n;;\nesac\n"
        .formatted(one, script, another, otherScript);
  }
}
