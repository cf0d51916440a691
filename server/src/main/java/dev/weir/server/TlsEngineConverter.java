package dev.weir.server;

import dev.weir.server.tls.TlsEngine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** The values of {@code --tls-provider}. */
final class TlsEngineConverter implements ITypeConverter<TlsEngine> {
  TlsEngineConverter() {}

  @Override
  public TlsEngine convert(String value) {
    TlsEngine engine =
        switch (value) {
          case "auto" -> TlsEngine.best();
          case "jdk" -> TlsEngine.JDK;
          case "boringssl" -> TlsEngine.BORINGSSL;
          default ->
              throw new TypeConversionException(
                  "'%s' is none of jdk, boringssl, auto".formatted(value));
        };
    if (!engine.isAvailable()) {
      throw new TypeConversionException(
          "Netty's library of BoringSSL does not load here; take jdk or auto");
    }
    return engine;
  }
}
