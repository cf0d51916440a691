package dev.weir.replication.serve;

import dev.weir.replication.imports.Import;
import dev.weir.replication.imports.Part;
import dev.weir.replication.receive.Chunk;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Chunks that one request brings. */
final class PatchedPart implements BodyIntake {
  private final Reply reply;
  private final ServeFigures figures;
  private final Part part;

  PatchedPart(Reply reply, ServeFigures figures, Import known, ByteRange range) throws IOException {
    this.reply = reply;
    this.figures = figures;
    this.part = known.take(range.first(), range.last());
  }

  @Override
  public void accept(ByteBuf bytes) throws IOException {
    part.accept(bytes);
  }

  @Override
  public void end() throws IOException {
    part.close();
    List<Chunk> wrong = part.wrong();
    if (wrong.isEmpty()) {
      reply.answer(Answers.empty(HttpResponseStatus.NO_CONTENT));
      return;
    }
    Chunk first = wrong.getFirst();
    Map<String, Object> row = new LinkedHashMap<>();
    row.put(
        "reason",
        "the file '%s': %,d bytes from %,d on have a wrong checksum; send them again"
            .formatted(first.file().entry().path(), first.bytes(), first.fileOffset()));
    row.put(
        "wrong",
        wrong.stream().map(chunk -> List.of(chunk.spaceOffset(), chunk.spaceEnd() - 1)).toList());
    figures.refused(Refusal.CHECKSUM);
    reply.answer(Answers.json(HttpResponseStatus.UNPROCESSABLE_ENTITY, row));
  }

  @Override
  public void abort() {
    try {
      part.close();
    } catch (IOException e) {
      System.getLogger(PatchedPart.class.getName())
          .log(System.Logger.Level.WARNING, "closing a file", e);
    }
  }
}
