package dev.weir.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePathScanner;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;

/** Javadoc is the contract: every public type has one. */
class JavadocTest {
  @Test
  void everyPublicTypeHasJavadoc() throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (var files = compiler.getStandardFileManager(null, null, null)) {
      var task =
          (JavacTask)
              compiler.getTask(
                  null, files, null, null, null, files.getJavaFileObjectsFromPaths(Sources.main()));
      var types = new PublicTypes(DocTrees.instance(task));
      types.scan(task.parse(), null);

      assertThat(types.count).as("public types seen").isPositive();
      assertThat(types.undocumented).isEmpty();
    }
  }

  /** Visits public types, and the public types inside them. */
  private static final class PublicTypes extends TreePathScanner<Void, Void> {
    private final DocTrees docs;
    private final List<String> undocumented = new ArrayList<>();
    private int count;

    PublicTypes(DocTrees docs) {
      this.docs = docs;
    }

    @Override
    public Void visitClass(ClassTree type, Void unused) {
      if (!type.getModifiers().getFlags().contains(Modifier.PUBLIC)) {
        return null;
      }
      count++;
      String comment = docs.getDocComment(getCurrentPath());
      if (comment == null || comment.isBlank()) {
        CompilationUnitTree unit = getCurrentPath().getCompilationUnit();
        undocumented.add(unit.getSourceFile().getName() + ": " + type.getSimpleName());
      }
      return super.visitClass(type, unused);
    }
  }
}
