package dev.weir.replication.serve;

import dev.weir.replication.imports.Imports;
import dev.weir.replication.receive.ManifestFile;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;

/** A manifest that is posted, and begins an import when all of it has come. */
final class PostedManifest implements BodyIntake {
  private final Imports imports;
  private final String name;
  private final Consumer<Imports.Begun> onBegun;
  private final Path path;
  private final ManifestFile file;

  PostedManifest(Imports imports, String name, Consumer<Imports.Begun> onBegun) throws IOException {
    this.imports = imports;
    this.name = name;
    this.onBegun = onBegun;
    this.path = imports.posting();
    this.file = new ManifestFile(path);
  }

  @Override
  public void accept(ByteBuf part) throws IOException {
    file.accept(part);
  }

  @Override
  public void end() throws IOException {
    file.close();
    onBegun.accept(imports.begin(name, path, file.tag()));
  }

  @Override
  public void abort() {
    try {
      file.close();
      Files.deleteIfExists(path);
    } catch (IOException e) {
      System.getLogger(PostedManifest.class.getName())
          .log(System.Logger.Level.WARNING, "cannot remove " + path, e);
    }
  }
}
