package dev.weir.lab.replicate;

import dev.weir.lab.grpc.Layout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one side is told, as words of its command line.
 *
 * @param folder the container, or where copies go
 * @param port of the sender; the sender's own is not known yet
 * @param certificate empty: in the clear
 */
record CopyTask(
    Peer peer,
    Path folder,
    Layout layout,
    int connections,
    int port,
    String certificate,
    String key,
    CopyLoad load) {
  private static final int OWN_WORDS = 8;

  static CopyTask of(CopyPlan plan, CopyPlan.Load load, Path folder, int port) {
    Certificate tls = plan.tls();
    return new CopyTask(
        plan.peer(),
        folder,
        new Layout(load.files(), load.fileBytes()),
        plan.connections(),
        port,
        tls == null ? "" : tls.certificate().toString(),
        tls == null ? "" : tls.key().toString(),
        load.copies());
  }

  List<String> words() {
    List<String> words = new ArrayList<>();
    words.add(peer.label());
    words.add(folder.toString());
    words.add(Integer.toString(layout.files()));
    words.add(Long.toString(layout.fileBytes()));
    words.add(Integer.toString(connections));
    words.add(Integer.toString(port));
    words.add(certificate);
    words.add(key);
    words.addAll(load.words());
    return words;
  }

  static CopyTask of(List<String> words) {
    return new CopyTask(
        Peer.of(words.get(0)),
        Path.of(words.get(1)),
        new Layout(Integer.parseInt(words.get(2)), Long.parseLong(words.get(3))),
        Integer.parseInt(words.get(4)),
        Integer.parseInt(words.get(5)),
        words.get(6),
        words.get(7),
        CopyLoad.of(words.subList(OWN_WORDS, OWN_WORDS + CopyLoad.WORDS)));
  }

  long bytes() {
    return layout.files() * layout.fileBytes();
  }

  @Nullable Path authority() {
    return certificate.isEmpty() ? null : Path.of(certificate);
  }
}
