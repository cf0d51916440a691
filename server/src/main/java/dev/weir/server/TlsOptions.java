package dev.weir.server;

import dev.weir.server.tls.TlsCredentials;
import dev.weir.server.tls.TlsEngine;
import dev.weir.server.tls.TlsFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The options of {@code weir serve} that concern TLS. */
final class TlsOptions {
  @Option(
      names = "--tls-cert",
      paramLabel = "FILE",
      description = "Serve https with this certificate, or chain of them, in PEM.")
  private @Nullable Path certificate;

  @Option(
      names = "--tls-key",
      paramLabel = "FILE",
      description = "The key of the certificate, RSA or EC, in PEM (PKCS #8).")
  private @Nullable Path key;

  @Option(
      names = "--tls-provider",
      paramLabel = "WHO",
      description =
          "Who encrypts: jdk, boringssl, or auto, which is boringssl where its library loads."
              + " Default: auto.",
      converter = TlsEngineConverter.class)
  private @Nullable TlsEngine engine;

  TlsOptions() {}

  /** What the options ask for; null without TLS. */
  Node.@Nullable TlsSettings settings(CommandSpec spec) throws TlsFileException {
    if (certificate == null && key == null) {
      if (engine != null) {
        throw new ParameterException(
            spec.commandLine(),
            "--tls-provider needs --tls-cert and --tls-key: nothing is encrypted");
      }
      return null;
    }
    if (certificate == null || key == null) {
      throw new ParameterException(
          spec.commandLine(),
          "--tls-cert and --tls-key belong together: %s is missing"
              .formatted(key == null ? "--tls-key" : "--tls-cert"));
    }
    return new Node.TlsSettings(
        TlsCredentials.read(certificate, key), engine == null ? TlsEngine.best() : engine);
  }
}
